"""The layers of a T5 block, named as in Hugging Face checkpoints.

Shapes: B samples, L input tokens, T summary tokens.
"""

import torch
from torch import Tensor, nn

from fbftl.models.cost.architectures import T5Shape

KeysValues = tuple[Tensor, Tensor]


class Lookup(nn.Embedding):
    """An embedding that has no values on the meta device.

    To draw them from a normal distribution there, torch imports its compiler, which takes longer
    than to read the weights of a small model.
    """

    def reset_parameters(self) -> None:
        """Draw the weights as torch does, where there is memory for them."""
        if not self.weight.is_meta:
            super().reset_parameters()


class Attention(nn.Module):
    """Multi-head attention; scores are not scaled, positions enter as a bias on them."""

    def __init__(self, shape: T5Shape, owns_bias: bool = False) -> None:
        super().__init__()
        inner = shape.num_heads * shape.d_kv
        self.num_heads, self.dropout_rate = shape.num_heads, shape.dropout_rate
        self.q = nn.Linear(shape.d_model, inner, bias=False)
        self.k = nn.Linear(shape.d_model, inner, bias=False)
        self.v = nn.Linear(shape.d_model, inner, bias=False)
        self.o = nn.Linear(inner, shape.d_model, bias=False)
        if owns_bias:
            self.relative_attention_bias = Lookup(
                shape.relative_attention_num_buckets, shape.num_heads
            )

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def keys_values(self, memory: Tensor) -> KeysValues:
        """Return keys and values [B, heads, length, d_kv] of ``memory`` [B, length, d_model]."""
        return self._heads(self.k(memory)), self._heads(self.v(memory))

    def forward(self, x: Tensor, keys_values: KeysValues, bias: Tensor) -> Tensor:
        """Attend from `x` to `keys_values`; `bias` broadcasts to [B, heads, queries, keys]."""
        query = self._heads(self.q(x))
        attended = nn.functional.scaled_dot_product_attention(
            query,
            *keys_values,
            attn_mask=bias.to(query.dtype),
            dropout_p=self.dropout_rate if self.training else 0.0,
            scale=1.0,
        )
        return self.o(attended.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    """Two linear layers; in v1.1 the first is gated."""

    def __init__(self, shape: T5Shape) -> None:
        super().__init__()
        self.gated = shape.feed_forward_proj == "gated-gelu"
        for name in ("wi_0", "wi_1") if self.gated else ("wi",):
            self.add_module(name, nn.Linear(shape.d_model, shape.d_ff, bias=False))
        self.dropout = dropout(shape)
        self.wo = nn.Linear(shape.d_ff, shape.d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Map [B, length, d_model] to the same shape."""
        if self.gated:
            hidden = nn.functional.gelu(self.wi_0(x), approximate="tanh") * self.wi_1(x)
        else:
            hidden = nn.functional.relu(self.wi(x))
        return self.wo(self.dropout(hidden))


class SelfAttentionLayer(nn.Module):
    """Residual self-attention; earlier tokens' keys and values may come from a cache."""

    def __init__(self, shape: T5Shape, owns_bias: bool) -> None:
        super().__init__()
        self.SelfAttention = Attention(shape, owns_bias)
        self.layer_norm = norm(shape)
        self.dropout = dropout(shape)

    def forward(
        self, x: Tensor, bias: Tensor, past: KeysValues | None = None
    ) -> tuple[Tensor, KeysValues]:
        """Return the output and the keys and values of `past` and `x` together."""
        normed = self.layer_norm(x)
        keys, values = self.SelfAttention.keys_values(normed)
        if past is not None:
            keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
        attended = self.SelfAttention(normed, (keys, values), bias)
        return x + self.dropout(attended), (keys, values)


class CrossAttentionLayer(nn.Module):
    """Residual attention of the decoder to the encoder's output."""

    def __init__(self, shape: T5Shape) -> None:
        super().__init__()
        self.EncDecAttention = Attention(shape)
        self.layer_norm = norm(shape)
        self.dropout = dropout(shape)

    def forward(self, x: Tensor, keys_values: KeysValues, bias: Tensor) -> Tensor:
        """Attend from `x` [B, T, d_model] to the encoder's keys and values."""
        return x + self.dropout(self.EncDecAttention(self.layer_norm(x), keys_values, bias))


class FeedForwardLayer(nn.Module):
    """Residual feed-forward network."""

    def __init__(self, shape: T5Shape) -> None:
        super().__init__()
        self.DenseReluDense = FeedForward(shape)
        self.layer_norm = norm(shape)
        self.dropout = dropout(shape)

    def forward(self, x: Tensor) -> Tensor:
        """Map [B, length, d_model] to the same shape."""
        return x + self.dropout(self.DenseReluDense(self.layer_norm(x)))


class Block(nn.Module):
    """One block: self-attention, in the decoder cross-attention, feed-forward."""

    def __init__(self, shape: T5Shape, owns_bias: bool, crosses: bool) -> None:
        super().__init__()
        cross = [CrossAttentionLayer(shape)] if crosses else []
        self.layer = nn.ModuleList(
            [SelfAttentionLayer(shape, owns_bias), *cross, FeedForwardLayer(shape)]
        )


def norm(shape: T5Shape) -> nn.Module:
    """Return the norm before a layer: scaled by the root mean square, no bias."""
    return nn.RMSNorm(shape.d_model, eps=shape.layer_norm_epsilon)


def dropout(shape: T5Shape) -> nn.Module:
    """Return the dropout of a shape."""
    return nn.Dropout(shape.dropout_rate) if shape.dropout_rate else nn.Identity()
