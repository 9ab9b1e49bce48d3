"""T5 (v1.0 and v1.1, hence FLAN-T5) in plain torch, to be entered at any encoder block.

Parameters carry the names of Hugging Face checkpoints; tests hold the outputs against transformers'
own class. Why it is not that class is in docs/architecture.md.

Shapes: B samples, L input tokens, T summary tokens. ``mask`` [B, L] is true where a token is.
"""

import math

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


class Stack(nn.Module):
    """Encoder or decoder: blocks that share the position bias of the first, and a final norm."""

    def __init__(self, shape: T5Shape, blocks: int, decodes: bool) -> None:
        super().__init__()
        self.shape, self.decodes = shape, decodes
        self.block = nn.ModuleList([Block(shape, i == 0, decodes) for i in range(blocks)])
        self.final_layer_norm = norm(shape)
        self.dropout = dropout(shape)

    def position_bias(self, queries: range, keys: int) -> Tensor:
        """Return the bias [1, heads, queries, keys] by relative position, −inf for the future."""
        table = self.block[0].layer[0].SelfAttention.relative_attention_bias
        query = torch.arange(queries.start, queries.stop, device=table.weight.device)[:, None]
        distance = torch.arange(keys, device=table.weight.device)[None, :] - query
        buckets = position_buckets(
            distance,
            self.shape.relative_attention_num_buckets,
            self.shape.relative_attention_max_distance,
            both_ways=not self.decodes,
        )
        bias = table(buckets).permute(2, 0, 1)[None]
        return bias.masked_fill(distance > 0, -torch.inf) if self.decodes else bias


class T5(nn.Module):
    """Encoder, decoder and an ``lm_head`` of its own."""

    def __init__(self, shape: T5Shape) -> None:
        super().__init__()
        self.shape = shape
        self.shared = Lookup(shape.vocab_size, shape.d_model)
        self.encoder = Stack(shape, shape.num_layers, decodes=False)
        self.decoder = Stack(shape, shape.num_decoder_layers, decodes=True)
        self.lm_head = nn.Linear(shape.d_model, shape.vocab_size, bias=False)

    def embed(self, ids: Tensor) -> Tensor:
        """Return what enters encoder block 0: the embeddings [B, L, d_model] of `ids` [B, L]."""
        return self.encoder.dropout(self.shared(ids))

    def encoder_states(self, x: Tensor, mask: Tensor, blocks: range) -> Tensor:
        """Run consecutive encoder blocks on `x` [B, L, d_model], what enters the first of them."""
        bias = self.encoder.position_bias(range(x.shape[1]), x.shape[1]) + padding_bias(mask)
        for index in blocks:
            attend, feed_forward = self.encoder.block[index].layer
            x = feed_forward(attend(x, bias)[0])
        return x

    def memory(self, x: Tensor, mask: Tensor, first_block: int = 0) -> Tensor:
        """Return the encoder's output [B, L, d_model] from what enters block `first_block`."""
        x = self.encoder_states(x, mask, range(first_block, self.shape.num_layers))
        return self.encoder.dropout(self.encoder.final_layer_norm(x))

    def crossed(self, memory: Tensor) -> list[KeysValues]:
        """Return each decoder block's keys and values of the encoder's output."""
        return [block.layer[1].EncDecAttention.keys_values(memory) for block in self.decoder.block]

    def decode(
        self,
        ids: Tensor,
        crossed: list[KeysValues],
        mask: Tensor,
        past: list[KeysValues] | None = None,
    ) -> tuple[Tensor, list[KeysValues]]:
        """Return logits [B, T, vocabulary] for `ids` [B, T] and the cache that holds them.

        Args:
            ids: decoder inputs; those in `past` left out.
            crossed: from `crossed`.
            mask: of the encoder's output, [B, L].
            past: the cache of an earlier call.
        """
        seen = past[0][0].shape[2] if past else 0
        bias = self.decoder.position_bias(range(seen, seen + ids.shape[1]), seen + ids.shape[1])
        cross_bias = padding_bias(mask)
        x = self.decoder.dropout(self.shared(ids))
        cache = []
        for index, block in enumerate(self.decoder.block):
            attend, cross, feed_forward = block.layer
            x, keys_values = attend(x, bias, past[index] if past else None)
            x = feed_forward(cross(x, crossed[index], cross_bias))
            cache.append(keys_values)
        x = self.decoder.dropout(self.decoder.final_layer_norm(x))
        if self.shape.scale_outputs:
            x = x * self.shape.d_model**-0.5
        return self.lm_head(x), cache


def padding_bias(mask: Tensor) -> Tensor:
    """Return the bias [B, 1, 1, L] that hides padding: 0 where `mask` is true, −inf elsewhere."""
    bias = torch.zeros(mask.shape, device=mask.device)
    return bias.masked_fill(~mask, -torch.inf)[:, None, None]


def position_buckets(distance: Tensor, buckets: int, longest: int, both_ways: bool) -> Tensor:
    """Return the bucket of each distance, int64, same shape.

    Half of the buckets hold one distance each, the other half ever wider ranges up to `longest`,
    from where on all share the last.

    Args:
        distance: position of the key minus position of the query, int64.
        buckets: number of buckets.
        longest: distance from which on there is no difference.
        both_ways: whether keys after the query have buckets of their own (encoder); if not, they
            share bucket 0 (decoder, where they are hidden).
    """
    if both_ways:
        buckets //= 2
        offset = buckets * (distance > 0)
        distance = distance.abs()
    else:
        offset = torch.zeros_like(distance)
        distance = -distance.clamp(max=0)
    exact = buckets // 2
    scale = (buckets - exact) / math.log(longest / exact)
    wide = exact + (torch.log(distance.clamp(min=1) / exact) * scale).long()
    return offset + torch.where(distance < exact, distance, wide.clamp(max=buckets - 1))
