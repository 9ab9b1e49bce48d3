"""Split-Mix's robust variant (paper thesis, Sec. 4.4.2) at one base, or adversarial FedAvg.

Clients train on clean and on adversarial inputs. With normalisations of its own for either kind,
a network can be made more robust or more accurate after training; with one for both it cannot.
"""
