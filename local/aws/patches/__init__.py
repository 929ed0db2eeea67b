"""Corrections of moto, the simulated AWS, where it answers otherwise than AWS does; see ``moto_patches.py``.

All were seen with moto 5.2.5. Whether moto's makers know of them was not looked up, which is why no
patch names an issue. A release that mends one is found by the patch's test, which looks for the symptom.
"""
