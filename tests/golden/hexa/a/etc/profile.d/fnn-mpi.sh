# Managed by flathood (role mpi): what is changed here is lost at the next run.
export OMPI_MCA_mca_base_param_files=$HOME/.openmpi/mca-params.conf,/etc/openmpi/openmpi-mca-params.conf
export PRTE_MCA_prte_default_hostfile=/etc/flathood/mpi/openmpi.hosts
export PRTE_MCA_prte_if_include=fnn0
export HYDRA_HOST_FILE=/etc/flathood/mpi/mpich.hosts
export UCX_NET_DEVICES=node0
export UCX_MAX_RNDV_RAILS=1
export NCCL_SOCKET_IFNAME==node0
export GLOO_SOCKET_IFNAME=node0
