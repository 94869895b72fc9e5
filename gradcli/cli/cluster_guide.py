"""`gradcli help cluster`."""

from __future__ import annotations

CLUSTER = """\
gradcli batch --cluster sends portions of records to workers of dask, and
writes what one process would write, byte for byte. It needs pip install
'gradcli[cluster]', the same versions everywhere.

On this machine: 4 workers, talking TLS on 127.0.0.1
    gradcli batch records.jsonl --out answers.jsonl --cluster local --jobs 4

With a scheduler. Anybody who reaches one can run code on its workers, so TLS
is needed elsewhere; the certificates are those of any authority of your own,
for example
    openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=gradcli \\
        -keyout me.key -out me.pem && cp me.pem ca.pem
    TLS="--tls-ca-file ca.pem --tls-cert me.pem --tls-key me.key"
    dask scheduler --protocol tls $TLS --port 8786
    dask worker tls://HOST:8786 $TLS --nthreads 1 --nworkers auto # on each
    gradcli batch records.jsonl --out answers.jsonl --cluster tls://HOST:8786 \\
        --tls-ca ca.pem --tls-cert me.pem --tls-key me.key
--dashboard prints the address of the scheduler's web page. With --cluster
local there is none but then, and it takes pip install 'gradcli[dashboard]'.

Over ssh
    for host in a b c; do scp ca.pem me.pem me.key $host:; \\
        ssh $host dask worker tls://HOST:8786 $TLS \\
        --nthreads 1 --nworkers auto & done

In Slurm, from a folder that all machines see
    dask scheduler --protocol tls $TLS --scheduler-file /shared/scheduler.json &
    srun --ntasks 32 --cpus-per-task 1 \\
        dask worker --scheduler-file /shared/scheduler.json $TLS --nthreads 1 &
    gradcli batch records.jsonl --cluster /shared/scheduler.json \\
        --tls-ca ca.pem ...
or with dask-jobqueue, in a Python that stays while gradcli runs
    from dask_jobqueue import SLURMCluster
    from distributed.security import Security
    ends = {"cert": "pem", "key": "key"}
    mine = {f"tls_{who}_{what}": f"me.{end}"
            for who in ("scheduler", "worker", "client")
            for what, end in ends.items()}
    tls = Security(require_encryption=True,
                   tls_ca_file="ca.pem", **mine)
    cluster = SLURMCluster(cores=1, memory="1GB",
                           walltime="02:00:00",
                           protocol="tls://", security=tls,
                           scheduler_options={"port": 8786})
    cluster.scale(32); print(cluster.scheduler_address)

In Kubernetes: IMAGE has Python and gradcli[cluster]; the certificates are a
secret
    kubectl create secret generic tls \\
        --from-file ca.pem --from-file me.pem --from-file me.key
    kubectl create deployment scheduler --image IMAGE --port 8786 -- \\
        sh -c "cd /tls && dask scheduler --protocol tls $TLS --port 8786"
    kubectl create deployment worker --image IMAGE --replicas 32 -- \\
        sh -c "cd /tls && dask worker tls://scheduler:8786 $TLS --nthreads 1"
    for each in scheduler worker; do
        kubectl patch deployment $each --type json -p '[
        {"op": "add", "path": "/spec/template/spec/volumes",
         "value": [{"name": "tls",
                    "secret": {"secretName": "tls"}}]},
        {"op": "add", "path":
         "/spec/template/spec/containers/0/volumeMounts",
         "value": [{"name": "tls", "mountPath": "/tls"}]}]'
    done
    kubectl expose deployment scheduler
    kubectl port-forward service/scheduler 8786:8786 &
    gradcli batch records.jsonl --cluster tls://localhost:8786 \\
        --tls-ca ca.pem ...

One program over arrays that are larger than a machine, on disks that all
machines share
    gradcli eval "mean((2*x)**3)" -s x=@data.zarr/x --cluster local --jobs 4 \\
        --save grads.zarr
    gradcli eval -f model.grad -s X=@data.zarr/X -s w=@w.npy --wrt w \\
        --cluster tls://HOST:8786 ...
Functions of elements, their sums, and models of rows are swept part after
part; a worker reads its part of a .zarr, .npy or .safetensors, and writes its
part of the gradient to a .zarr or .npy. The bits are those of one process,
which sums in the same order. A worker takes about 256 MiB; --max-memory is
what a part may take in each. gradcli jvp --cluster sweeps in the same way, and
gradcli check --cluster moves all elements at once, along one direction of each
leaf. What cannot be swept is an error that names the step: cumulative sums,
sorting, products of two large matrices. Only outputs are shown; arrays of less
than 2**22 elements are read by the client.

A worker that dies loses nothing: its portion is done again, and a record that
ends workers is found by halving, and marked internal. --timeout holds for each
record, there too. A run whose scheduler is gone ends with exit code 4, and
--resume goes on.

The same bits need the same machines: versions, what NumPy uses of the
processor, BLAS and its threads, and a computation are compared, when a worker
is met and with each answer. --mixed accepts differences, and the summary tells
them. Files that records name (--allow-files) are opened by workers, under the
same names.
"""
