"""What nobody can exceed who receives the cells of a representation: cutting, counting, the certificate, its words."""
