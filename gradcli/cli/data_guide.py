"""`gradcli help data`."""

from __future__ import annotations

DATA = """\
Values come from files and stores: --set NAME=@PLACE, and so --gradient,
--tangent, --mine.

  @x.npy  @x.txt  @-     an array; numbers; standard input
  @x.npz:NAME            the array NAME, or the only one
  @h.csv  @h.tsv         a table, with or without a header
  @h.csv:height          the column under that name
  @f.json  @f.json:a.0   nested lists; what stands there
  @m.safetensors:w       BF16 is widened to float32
  @data.zarr/group/x     zarr 2 and 3 [zarr]
  @file.h5:/group/x      HDF5 [hdf5]
  @f.nc:t                netCDF-4; what is missing is NaN [hdf5]
  @s3://bucket/x.npy     fetched in parts [cloud]
  @s3://bucket/d.zarr/x  zarr there [zarr,cloud]

gs:// and https:// are read as s3:// is. Items are counted from 0. Large
arrays in .safetensors and .npy are mapped.

~ is the home folder. What is in brackets is installed with pip install
'gradcli[zarr]'; gradcli --version --verbose lists what is there. Credentials
of the cloud are those that its other tools use: AWS_... and the files in
~/.aws, GOOGLE_APPLICATION_CREDENTIALS, the role of the machine. No file is
opened under --safe, and none that a record of gradcli batch names unless
--allow-files is given. Nothing is unpickled; what is too large for
--max-memory is refused before it is read. Parquet is not read, as its readers
are large: write its columns to .npy or .csv first.

--save writes a whole file or nothing: .npz, .json, .zarr and .h5 hold the
outputs under their names and gradients as NAME.grad; .npy, .csv and .tsv hold
one gradient. .zarr and .h5 need their extras. A store that is replaced is
replaced as a whole.
"""
