"""What a call has planned, for the line that says how far it is (fbftl.ground.pace)."""

from fbftl.ground.job_kinds import JobKind, plan_beside, write_plan


def note_plan(logs):
    """Leave the kind of each job of this call beside its log."""
    plan = {
        job.jobid: JobKind.of(job.rule.name, str(job.output[0]))
        for job in workflow.dag.needrun_jobs()
        if job.output
    }
    for log in logs[:1]:
        write_plan(plan_beside(Path(log)), plan)
