"""What diffoci is made of besides its own code: exact versions, hashes, licences, a bill of materials."""
