"""T5 (v1.0 and v1.1, hence FLAN-T5) in plain torch, to be entered at any encoder block.

Parameters carry the names of Hugging Face checkpoints; tests hold the outputs against transformers'
own class. Why it is not that class is in docs/architecture.md.

Shapes: B samples, L input tokens, T summary tokens. ``mask`` [B, L] is true where a token is.
"""

import math

import torch
from torch import Tensor, nn

from fbftl.models.cost.architectures import T5Shape
from fbftl.models.t5.layers import Block, KeysValues, Lookup, dropout, norm


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
