"""What nobody asked for is gone: no module, verb, rule, axis, key or page of it is left.

CHANGELOG says under *Removed* what takes each one's place.
"""

import re
import subprocess
from pathlib import Path

IDENTIFIERS = (
    *("committee", "committee_members", "committee_threshold", "least_arrivals", "replicated"),
    *("upload_sums", "upload_tree", "secure_sums", "uploads_committee", "discrete_noise"),
    *("sign_statement", "verify_provenance", "write_statement", "compare_results", "keep_audits"),
    *("write_article", "draw_front_page", "scoreboard", "fill_leading", "test_leading"),
    *("join_shards", "collect_shard", "rename_kept", "require_new_names"),
    *("probe_arithmetic", "findings/probe", "fbftl_probe"),
    *("pilot", "plan_seeds", "measure_durations", "tell_progress", "run_log", "durations.csv"),
    *("audit_mechanisms", "audit_trainings", "plot_mechanism_audits", "attacks/audits"),
    *("run progress", "run statement", "run article", "run verify", "run sign", "run compare"),
    *("run power", "shard_named", "is_locked", "read_publication"),
    *("codemeta", "SUPPORT.md", "CODE_OF_CONDUCT", "joss.md", "releasing.md"),
    *("fbftl_deploy/proxy", "fbftl_deploy/dealer", "fbftl_deploy/relay", "fbftl_deploy/tls"),
    *("verify_results", "rules/elsewhere", "study/elsewhere", "features/publication"),
)
"""Names of removed modules, verbs, rules, axes, keys and pages."""

TOLD_IN = ("CHANGELOG.md", "tests/unit/test_removed.py", "tests/unit/study/test_masked_settings.py")


def tracked(root: Path) -> list[str]:
    """Return the files of the project, kept results and published tables left out."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    kept = ("docs/results/", "published/")
    return [
        p for p in listed if not p.startswith(kept) and p not in TOLD_IN and (root / p).exists()
    ]


def test_no_name_of_a_removed_business_is_left(root: Path) -> None:
    pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in IDENTIFIERS))
    left = {}
    for path in tracked(root):
        if (root / path).suffix in (".py", ".smk", ".md", ".yaml", ".toml", ".rst", ".txt", ""):
            text = f"{path}\n{(root / path).read_text(encoding='utf-8')}"
            if found := set(pattern.findall(text)):
                left[path] = sorted(found)
    assert left == {}


def test_the_changelog_says_what_takes_the_place_of_each(root: Path) -> None:
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = text.partition("## Unreleased")[2].partition("\n## ")[0]
    assert "### Removed" in unreleased
