"""The spurious-correlation lab, a study: does a network look at the bird or at the water?"""
