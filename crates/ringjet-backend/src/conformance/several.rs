//! Tests of key switches of several polynomials with one key, and of sums of products.

use super::data::{Host, Layout, Style};
use super::{Check, Suite};
use crate::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use crate::{Backend, Buf, KeySwitch, KeySwitchInput, View};

/// The input of a key switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Polynomials,
    Digits,
    /// Sums of this many products each.
    Products(usize),
}

impl Suite<'_> {
    /// Key switches of two and three polynomials, of their digits, and of sums of none, one and two
    /// products, with and without addends. Only random residues are used: other styles are tested
    /// by switches of one polynomial, which use the same arithmetic.
    pub(super) fn several(&mut self, plan: &ModUpPlan, case: &str, key: &Host) -> Check {
        let special: Vec<usize> = (0..plan.special).collect();
        let division = DivisionPlan::new(&plan.extended, &special);
        let galois = AutomorphismPlan::new(plan.src.log_n(), 5, Domain::Evaluation);
        let cases = [
            (From::Polynomials, 2, Some(2)),
            (From::Polynomials, 3, Some(6)),
            (From::Digits, 2, Some(4)),
            (From::Digits, 3, None),
            (From::Products(0), 1, None),
            (From::Products(1), 1, Some(1)),
            (From::Products(1), 2, None),
            (From::Products(2), 2, Some(4)),
        ];
        for (i, (from, count, added)) in cases.into_iter().enumerate() {
            let galois = (i % 3 == 0).then_some(&galois);
            self.switch_several(plan, (&division, galois), (from, count, added), case, key)?;
        }
        Ok(())
    }

    fn switch_several(
        &mut self,
        plan: &ModUpPlan,
        (division, galois): (&DivisionPlan, Option<&AutomorphismPlan>),
        (from, count, added): (From, usize, Option<usize>),
        case: &str,
        key: &Host,
    ) -> Check {
        let style = Style::Random;
        let rng = &mut self.rng;
        let input = match from {
            From::Polynomials => Host::new(rng, &plan.src, Layout::inside(count), style),
            From::Digits => Host::new(rng, &plan.extended, Layout::prefix(count * plan.beta()), style),
            From::Products(_) => Host::new(rng, &plan.src, Layout::inside(2 * count + 2), style),
        };
        let add = Host::new(&mut self.rng, &plan.src, Layout::inside(added.unwrap_or(1)), style);
        let dst = Host::new(&mut self.rng, &division.dst, Layout::inside(2 * count), Style::Random);
        let case = format!("{case}, {count} from {from:?}, add {added:?}, automorphism {}", galois.is_some());
        let sources = [input.clone(), key.clone(), add.clone()];
        self.compare("key_switch", &case, &sources, &dst, |b: &dyn Backend, s: &[Buf], d: &mut Buf| {
            let view = input.view(&s[0]);
            // overlapping pairs: a factor may be any two polynomials
            let pair = |i: usize| view.slice(i % (view.polys() - 1), 2);
            let sum = |i: usize, terms: usize| (0..terms).map(|t| (pair(i + t), pair(2 * i))).collect::<Vec<_>>();
            let sums: Vec<Vec<(View<'_>, View<'_>)>> = match from {
                From::Products(terms) => (0..count).map(|i| sum(i, terms)).collect(),
                _ => vec![],
            };
            let sums: Vec<&[(View<'_>, View<'_>)]> = sums.iter().map(|sum| &sum[..]).collect();
            let switch = KeySwitch {
                input: match from {
                    From::Polynomials => KeySwitchInput::Polynomial(view),
                    From::Digits => KeySwitchInput::Digits(view),
                    From::Products(_) => KeySwitchInput::Products(&sums),
                },
                key: key.view(&s[1]),
                mod_up: plan,
                division,
                add: added.map(|_| add.view(&s[2])),
                automorphism: galois,
            };
            b.key_switch(dst.view_mut(d), &switch)
        })
    }
}
