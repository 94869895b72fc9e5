"""Where PyTorch and NumPy define the classes whose names a program prints."""

from __future__ import annotations

_BY_MODULE = {
    "torch": (
        "Tensor dtype device Size FloatTensor DoubleTensor HalfTensor LongTensor IntTensor "
        "ShortTensor CharTensor ByteTensor BoolTensor BFloat16Tensor"
    ),
    "torch._C": "Generator _LinAlgError",
    "torch.autograd.gradcheck": "GradcheckError",
    "torch.nn.utils.rnn": "PackedSequence",
    "numpy": "ndarray str_ float64 float32 int64 int32 uint8 complex128 complex64",
    "collections": "OrderedDict defaultdict Counter deque",
    "torch.nn.parameter": "Parameter Buffer UninitializedBuffer UninitializedParameter",
    "torch.nn.modules.activation": (
        "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid "
        "LogSoftmax Mish MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax "
        "Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold"
    ),
    "torch.nn.modules.batchnorm": (
        "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d "
        "SyncBatchNorm"
    ),
    "torch.nn.modules.container": (
        "Container ModuleDict ModuleList ParameterDict ParameterList Sequential"
    ),
    "torch.nn.modules.conv": (
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d "
        "LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
    ),
    "torch.nn.modules.distance": "CosineSimilarity PairwiseDistance",
    "torch.nn.modules.dropout": (
        "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout"
    ),
    "torch.nn.modules.flatten": "Flatten Unflatten",
    "torch.nn.modules.fold": "Fold Unfold",
    "torch.nn.modules.instancenorm": (
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
        "LazyInstanceNorm3d"
    ),
    "torch.nn.modules.linear": "Bilinear Identity LazyLinear Linear",
    "torch.nn.modules.loss": (
        "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss "
        "HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss "
        "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PoissonNLLLoss "
        "SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss"
    ),
    "torch.nn.modules.module": "Module",
    "torch.nn.modules.adaptive": "AdaptiveLogSoftmaxWithLoss",
    "torch.nn.modules.channelshuffle": "ChannelShuffle",
    "torch.nn.parallel.data_parallel": "DataParallel",
    "torch.nn.parallel.distributed": "DistributedDataParallel",
    "torch.jit._script": "ScriptModule",
    "torch.fx.graph_module": "GraphModule",
    "torch.nn.modules.normalization": (
        "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm"
    ),
    "torch.nn.modules.padding": (
        "CircularPad1d CircularPad2d CircularPad3d "
        "ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d "
        "ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d"
    ),
    "torch.nn.modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
    "torch.nn.modules.pooling": (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
        "AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d "
        "FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d "
        "MaxUnpool1d MaxUnpool2d MaxUnpool3d"
    ),
    "torch.nn.modules.rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "torch.nn.modules.sparse": "Embedding EmbeddingBag",
    "torch.nn.modules.transformer": (
        "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
        "TransformerEncoderLayer"
    ),
    "torch.nn.modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "torch.optim": "Adafactor",
    "torch.optim.lr_scheduler": (
        "ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR LambdaLR "
        "LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau "
        "SequentialLR StepLR"
    ),
    **{
        f"torch.distributions.{name.lower()}": name
        for name in (
            "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "Dirichlet",
            "Exponential", "FisherSnedecor", "Gamma", "Geometric", "Gumbel", "Independent",
            "Kumaraswamy", "Laplace", "Multinomial", "Normal", "Pareto", "Poisson", "Uniform",
            "Weibull",
        )
    },
    "torch.distributions.half_cauchy": "HalfCauchy",
    "torch.distributions.half_normal": "HalfNormal",
    "torch.distributions.inverse_gamma": "InverseGamma",
    "torch.distributions.log_normal": "LogNormal",
    "torch.distributions.lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "torch.distributions.mixture_same_family": "MixtureSameFamily",
    "torch.distributions.multivariate_normal": "MultivariateNormal",
    "torch.distributions.negative_binomial": "NegativeBinomial",
    "torch.distributions.one_hot_categorical": (
        "OneHotCategorical OneHotCategoricalStraightThrough"
    ),
    "torch.distributions.continuous_bernoulli": "ContinuousBernoulli",
    "torch.distributions.relaxed_bernoulli": "RelaxedBernoulli",
    "torch.distributions.relaxed_categorical": "RelaxedOneHotCategorical",
    "torch.distributions.studentT": "StudentT",
    "torch.distributions.transformed_distribution": "TransformedDistribution",
    "torch.distributions.von_mises": "VonMises",
    **{
        f"torch.optim.{name.lower()}": name
        for name in (
            "ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "RAdam",
            "RMSprop", "Rprop", "SGD",
        )
    },
}  # fmt: skip
PLACES = {
    name: f"{module}.{name}" for module, names in _BY_MODULE.items() for name in names.split()
}
"""The whole names of classes."""
