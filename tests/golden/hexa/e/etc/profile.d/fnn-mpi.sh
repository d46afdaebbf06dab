# Managed by flathood (role mpi): what is changed here is lost at the next run.
export PRTE_MCA_prte_default_hostfile=/etc/flathood/mpi/openmpi.hosts
export PRTE_MCA_prte_if_include=10.80.0.0/12
export HYDRA_HOST_FILE=/etc/flathood/mpi/mpich.hosts
export UCX_NET_DEVICES=fnn0,fnn1
export UCX_MAX_RNDV_RAILS=2
export NCCL_SOCKET_IFNAME==node0
export GLOO_SOCKET_IFNAME=node0
