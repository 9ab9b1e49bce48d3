"""Boxes: a few bytes that a client sends to one party by way of another, which cannot read them.

A client draws a pair of keys for one message, agrees on a key with the receiver's public one
(X25519, then HKDF over both public keys and the context), and encrypts under it with
ChaCha20-Poly1305. The context says which run, sum, client and receiver a box is for, so that it
opens nowhere else: a box that is sent again in another sum is refused as one that is damaged.
"""

from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from fbftl.privacy.masking import derived

PUBLIC_BYTES = 32
"""Bytes of a public key."""

TAG_BYTES = 16
"""Bytes by which a box is longer than what is in it."""

NONCE = bytes(12)
"""Every key encrypts one box, so that its nonce need not differ."""


class BoxError(ValueError):
    """A box that does not open: it was damaged, or it is for another sum, sender or receiver."""


@dataclass(frozen=True)
class KeyPair:
    """A party's pair of keys for boxes.

    private: 32 bytes that no other party knows.
    """

    private: bytes

    @property
    def public(self) -> bytes:
        """The public key, 32 bytes."""
        return self._key.public_key().public_bytes_raw()

    @property
    def _key(self) -> X25519PrivateKey:
        return X25519PrivateKey.from_private_bytes(self.private)

    def shared(self, public: bytes) -> bytes:
        """Return the secret that is shared with the owner of a public key, 32 bytes.

        Raises:
            BoxError: if it is no public key.
        """
        try:
            return self._key.exchange(X25519PublicKey.from_public_bytes(public))
        except ValueError as error:
            raise BoxError(f"{public.hex()[:16]} is no public key") from error


def seal(content: bytes, sender: KeyPair, receiver: bytes, context: bytes) -> bytes:
    """Return a box, which the owner of the public key `receiver` alone can open."""
    key = _key(sender.shared(receiver), sender.public, receiver, context)
    return ChaCha20Poly1305(key).encrypt(NONCE, content, context)


def unseal(box: bytes, sender: bytes, receiver: KeyPair, context: bytes) -> bytes:
    """Return what is in a box that the owner of the public key `sender` made.

    Raises:
        BoxError: if it does not open under this context.
    """
    key = _key(receiver.shared(sender), sender, receiver.public, context)
    try:
        return ChaCha20Poly1305(key).decrypt(NONCE, box, context)
    except InvalidTag as error:
        raise BoxError("it is damaged, or it was made for another sum") from error


def _key(shared: bytes, sender: bytes, receiver: bytes, context: bytes) -> bytes:
    return derived(shared, b"box" + sender + receiver + context)
