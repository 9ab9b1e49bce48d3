"""FTL_f (Sec. II-B): all layers, from the source model, trained by client gradients."""
