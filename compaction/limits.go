package compaction

// maxOutput caps every summary: a large reserve must not allow a "summary" as
// long as its source.
const maxOutput = 16384

// outputLimits returns how many tokens the history part and the prefix part of
// a summary may have (docs/compaction.md): 0.8 and 0.5 of the reserve, a
// quarter and an eighth of the target, the model's output limit and its window.
// Numbers that are 0 are not known and do not limit.
// prefix is 0 if the turn is not split.
func outputLimits(reserve, target, modelMax, window int64, split bool) (history, prefix int64) {
	common := int64(maxOutput)
	if modelMax > 0 {
		common = min(common, modelMax)
	}
	if window > 0 {
		common = min(common, window)
	}
	history, prefix = common, common
	if reserve > 0 {
		history, prefix = min(history, reserve*8/10), min(prefix, reserve/2)
	}
	if target > 0 {
		history, prefix = min(history, target/4), min(prefix, target/8)
	}
	if !split {
		prefix = 0
	}
	return max(history, 0), max(prefix, 0)
}
