"""Work that operations do, counted in projects of two sizes: does the cost follow the change?"""
