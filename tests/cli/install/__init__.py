"""The program on the KVM itself: its packages, its first start, its figures, its processor."""
