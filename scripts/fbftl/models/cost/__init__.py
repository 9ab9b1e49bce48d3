"""What a scheme costs, by closed form: parameters, payload, multiplications.

`layers` describes a network, `payload` counts bits (paper fbftl, Eq. (2)-(13)) and `compute` counts
multiplications (Eq. (14)-(17)). Everything is an exact integer and nothing here imports torch.
"""
