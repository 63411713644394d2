package compaction

// smaller replans with half of what was kept, or, for the last time, with the
// last unit alone. It reports false if only the last unit was kept already. A
// hook's summary is about the range that the hook was asked about, so our own
// is next.
func (a *attempt) smaller(last bool) bool {
	in := a.planInput(a.view, a.request)
	switch {
	case a.hook != nil:
		a.hook, a.preserve = nil, nil
	case a.plan.lastUnitKept || a.request.To != "":
		return false
	default:
		keep := max(1, min(a.plan.Budget, a.plan.KeptTokens)/2)
		if last {
			keep = 1
		}
		in.Keep = &keep
	}
	p, err := MakePlan(in)
	if err != nil || p.Skip != "" {
		return false
	}
	a.plan = p
	return true
}

// leastSummary is the room below which a summary is not worth making, in tokens.
const leastSummary = 600

// shortenSummary gives the summary only the room that the last unit leaves. It
// reports false if that is too little, or was done before.
func (a *attempt) shortenSummary(d *draft, after int64) bool {
	est := a.estimator()
	lists := est.Text(d.lists.text(est))
	over := int64(float64(a.plan.Size.Hard(after)-a.plan.Target)/max(a.plan.Size.Calibration.Margin, 1)) + 1
	const joints = 64 // headings and blank lines between the parts
	room := est.Text(d.text) - lists - over - joints
	if a.tight || a.request.To != "" || room < leastSummary {
		return false
	}
	a.tight, a.plan.known = true, nil
	a.budgets.constraints = min(a.budgets.constraints, room/4)
	a.budgets.residue = min(a.budgets.residue, room/8)
	body := room - a.budgets.sum()
	a.plan.PrefixLimit = min(a.plan.PrefixLimit, body/3)
	a.plan.OutputLimit = min(a.plan.OutputLimit, body-a.plan.PrefixLimit)
	a.plan.Allowance = room + lists
	return true
}

// coverAll plans again so that nothing is kept. It reports false if that was
// already done, or is not allowed.
func (a *attempt) coverAll() bool {
	in := a.planInput(a.view, a.request)
	s, err := measure(a.view, in.Estimator, false)
	if err != nil || a.plan.FirstKept == nil || a.request.To != "" || !s.mayCoverAll() {
		return false
	}
	in.Keep = new(int64(0))
	p, err := MakePlan(in)
	if err != nil || p.Skip != "" {
		return false
	}
	a.plan, a.tight = p, false
	return true
}
