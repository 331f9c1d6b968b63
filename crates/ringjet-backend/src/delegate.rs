//! [`delegate!`](crate::delegate!): writes methods of a backend that call those of another value.

/// Writes methods of an `impl Backend` that call the methods of the same names of another value,
/// the *target*. After `except` follow the methods that the implementation writes itself. The word
/// before `except` selects the methods:
///
/// * `all`: all methods. The target is a wrapped backend.
/// * `required`: the methods without which nothing can be computed, and those of a backend's memory
///   and threads. The target is a wrapped backend.
/// * `provided`: all methods that `required` leaves. The target is [`Composed`](crate::Composed),
///   which composes them of smaller operations of the same backend.
/// * `composed`: all methods of [`Composed`](crate::Composed), for a backend that wraps no other
///   backend: `provided`, and `upload_each`, `compact`, `expand` and `integer_factors`.
///
/// ```
/// # use ringjet_backend::{Backend, Reference, Result, View, ViewMut, delegate};
/// # use ringjet_math::Basis;
/// #[derive(Debug)]
/// struct Loud(Reference);
///
/// impl Backend for Loud {
///     delegate!(self => self.0; all except mul);
///
///     fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
///         println!("mul of {} limbs", dst.limbs());
///         self.0.mul(dst, a, b, basis, accumulate)
///     }
/// }
/// ```
///
/// `delegate!(self => operations of &self.0; all except ...)` calls functions of the module
/// `operations` instead of methods, with `&self.0` as their first argument.
///
/// A new method of the trait needs one line in one of the three lists below, and a name in
/// `forward`.
#[macro_export]
macro_rules! delegate {
    ($s:ident => $module:ident of $to:expr; all $(except $($own:ident),+)?) => {
        $crate::delegate!(@all [$($($own)+)?] $s {$module of $to});
    };
    ($s:ident => $to:expr; required $(except $($own:ident),+)?) => {
        $crate::delegate!(@required [$($($own)+)?] $s {$to});
        $crate::delegate!(@memory [$($($own)+)?] $s {$to});
    };
    ($s:ident => $to:expr; provided $(except $($own:ident),+)?) => {
        $crate::delegate!(@provided [$($($own)+)?] $s {$to});
    };
    ($s:ident => $to:expr; composed $(except $($own:ident),+)?) => {
        $crate::delegate!(@memory [$($($own)+)?] $s {$to});
        $crate::delegate!(@provided [$($($own)+)?] $s {$to});
    };
    ($s:ident => $to:expr; all $(except $($own:ident),+)?) => {
        $crate::delegate!(@all [$($($own)+)?] $s {$to});
    };
    (@all $own:tt $s:ident $to:tt) => {
        $crate::delegate!(@required $own $s $to);
        $crate::delegate!(@memory $own $s $to);
        $crate::delegate!(@provided $own $s $to);
    };
    (@required $own:tt $s:ident $to:tt) => {
        $crate::delegate!(@each $own $s $to;
            id() -> &$crate::BackendId;
            meter() -> Option<&dyn $crate::Meter>;
            host_threads() -> usize;
            side_by_side() -> bool;
            parallel(jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) -> ();
            fill_uniform(stream: &$crate::UniformStream<'_>, out: &mut [u64]) -> ();
            alloc(limbs: usize, n: usize) -> $crate::Result<$crate::Buf>;
            upload(dst: &mut $crate::Buf, first_limb: usize, data: &[u64]) -> $crate::Result<()>;
            download(src: &$crate::Buf, first_limb: usize, out: &mut [u64]) -> $crate::Result<()>;
            sync() -> $crate::Result<()>;
            copy(dst: $crate::ViewMut<'_>, src: $crate::View<'_>) -> $crate::Result<()>;
            ntt(x: $crate::ViewMut<'_>, basis: &$crate::Basis) -> $crate::Result<()>;
            intt(x: $crate::ViewMut<'_>, basis: &$crate::Basis) -> $crate::Result<()>;
            lincomb(
                dst: $crate::ViewMut<'_>, terms: &[$crate::Term<'_>], basis: &$crate::Basis, accumulate: bool
            ) -> $crate::Result<()>;
            mul(
                dst: $crate::ViewMut<'_>, a: $crate::View<'_>, b: $crate::View<'_>, basis: &$crate::Basis,
                accumulate: bool
            ) -> $crate::Result<()>;
            automorphism(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, basis: &$crate::Basis,
                plan: &$crate::plan::AutomorphismPlan
            ) -> $crate::Result<()>;
            base_convert(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, plan: &$crate::plan::BaseConversionPlan
            ) -> $crate::Result<()>;
            crt_split(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, plan: &$crate::plan::CrtSplitPlan
            ) -> $crate::Result<()>;
            crt_join(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, plan: &$crate::plan::CrtJoinPlan
            ) -> $crate::Result<()>;
            shift_round(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, bits: u32, shift: u32
            ) -> $crate::Result<()>;
            big_lincomb(
                dst: $crate::ViewMut<'_>, terms: &[$crate::BigTerm<'_>], bits: u32, accumulate: bool
            ) -> $crate::Result<()>;
            big_automorphism(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, bits: u32, plan: &$crate::plan::AutomorphismPlan
            ) -> $crate::Result<()>;
        );
    };
    (@memory $own:tt $s:ident $to:tt) => {
        $crate::delegate!(@each $own $s $to;
            upload_each(
                dst: &mut $crate::Buf, first_limb: usize, limbs: usize, fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync)
            ) -> $crate::Result<()>;
            compact(src: $crate::View<'_>, gap: usize) -> $crate::Result<$crate::Buf>;
            expand(dst: $crate::ViewMut<'_>, src: $crate::View<'_>) -> $crate::Result<()>;
            integer_factors(
                dst: $crate::ViewMut<'_>, src: &[$crate::Integers<'_>], basis: &$crate::Basis
            ) -> $crate::Result<()>;
        );
    };
    (@provided $own:tt $s:ident $to:tt) => {
        $crate::delegate!(@each $own $s $to;
            tensor(
                dst: $crate::ViewMut<'_>, a: $crate::View<'_>, b: $crate::View<'_>, basis: &$crate::Basis
            ) -> $crate::Result<()>;
            affine(
                dst: $crate::ViewMut<'_>, terms: &[$crate::Term<'_>], constant: &[u64], basis: &$crate::Basis
            ) -> $crate::Result<()>;
            gemm(
                dst: &mut [$crate::ViewMut<'_>], gemm: &$crate::Gemm<'_>, basis: &$crate::Basis, accumulate: bool
            ) -> $crate::Result<()>;
            class_products(
                dst: &mut [$crate::ViewMut<'_>], a: &[$crate::View<'_>], b: &[$crate::View<'_>], basis: &$crate::Basis
            ) -> $crate::Result<()>;
            mul_acc(
                dst: $crate::ViewMut<'_>, pairs: &[($crate::View<'_>, $crate::View<'_>)], basis: &$crate::Basis,
                accumulate: bool
            ) -> $crate::Result<()>;
            mod_up(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, plan: &$crate::plan::ModUpPlan
            ) -> $crate::Result<()>;
            key_inner_product(
                acc: $crate::ViewMut<'_>, digits: $crate::View<'_>, key: $crate::View<'_>, basis: &$crate::Basis
            ) -> $crate::Result<()>;
            key_switch(dst: $crate::ViewMut<'_>, switch: &$crate::KeySwitch<'_>) -> $crate::Result<()>;
            hoisted_rotations(
                dst: &mut [$crate::ViewMut<'_>], rotations: &$crate::HoistedRotations<'_>
            ) -> $crate::Result<()>;
            hoisted_rotate_sum(
                dst: $crate::ViewMut<'_>, sum: &$crate::RotateSum<'_>, basis: &$crate::Basis, accumulate: bool
            ) -> $crate::Result<()>;
            rotate_into(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, rotation: &$crate::Rotation<'_>, accumulate: bool
            ) -> $crate::Result<()>;
            divide_round(
                dst: $crate::ViewMut<'_>, src: $crate::View<'_>, plan: &$crate::plan::DivisionPlan,
                add: Option<$crate::View<'_>>
            ) -> $crate::Result<()>;
            big_prepare(src: $crate::View<'_>, plan: &$crate::plan::CrtSplitPlan) -> $crate::Result<$crate::Buf>;
            big_prepared_limbs(polys: usize, basis: &$crate::Basis, bits: u32) -> usize;
            big_mul(dst: $crate::ViewMut<'_>, mul: &$crate::BigMul<'_>) -> $crate::Result<()>;
        );
    };
    (@each $own:tt $s:ident $to:tt; $($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        $($crate::forward!($own $name $s $to; ($($arg: $type),*) -> $result);)*
    };
}

/// One method of [`delegate!`], unless its name is among those after `except`.
#[doc(hidden)]
#[macro_export]
macro_rules! forward {
    ([id $($own:ident)*] id $($method:tt)*) => {};
    ([meter $($own:ident)*] meter $($method:tt)*) => {};
    ([host_threads $($own:ident)*] host_threads $($method:tt)*) => {};
    ([side_by_side $($own:ident)*] side_by_side $($method:tt)*) => {};
    ([parallel $($own:ident)*] parallel $($method:tt)*) => {};
    ([fill_uniform $($own:ident)*] fill_uniform $($method:tt)*) => {};
    ([alloc $($own:ident)*] alloc $($method:tt)*) => {};
    ([upload $($own:ident)*] upload $($method:tt)*) => {};
    ([upload_each $($own:ident)*] upload_each $($method:tt)*) => {};
    ([download $($own:ident)*] download $($method:tt)*) => {};
    ([sync $($own:ident)*] sync $($method:tt)*) => {};
    ([copy $($own:ident)*] copy $($method:tt)*) => {};
    ([ntt $($own:ident)*] ntt $($method:tt)*) => {};
    ([intt $($own:ident)*] intt $($method:tt)*) => {};
    ([lincomb $($own:ident)*] lincomb $($method:tt)*) => {};
    ([mul $($own:ident)*] mul $($method:tt)*) => {};
    ([automorphism $($own:ident)*] automorphism $($method:tt)*) => {};
    ([base_convert $($own:ident)*] base_convert $($method:tt)*) => {};
    ([crt_split $($own:ident)*] crt_split $($method:tt)*) => {};
    ([crt_join $($own:ident)*] crt_join $($method:tt)*) => {};
    ([shift_round $($own:ident)*] shift_round $($method:tt)*) => {};
    ([big_lincomb $($own:ident)*] big_lincomb $($method:tt)*) => {};
    ([big_automorphism $($own:ident)*] big_automorphism $($method:tt)*) => {};
    ([compact $($own:ident)*] compact $($method:tt)*) => {};
    ([expand $($own:ident)*] expand $($method:tt)*) => {};
    ([integer_factors $($own:ident)*] integer_factors $($method:tt)*) => {};
    ([tensor $($own:ident)*] tensor $($method:tt)*) => {};
    ([affine $($own:ident)*] affine $($method:tt)*) => {};
    ([gemm $($own:ident)*] gemm $($method:tt)*) => {};
    ([class_products $($own:ident)*] class_products $($method:tt)*) => {};
    ([mul_acc $($own:ident)*] mul_acc $($method:tt)*) => {};
    ([mod_up $($own:ident)*] mod_up $($method:tt)*) => {};
    ([key_inner_product $($own:ident)*] key_inner_product $($method:tt)*) => {};
    ([key_switch $($own:ident)*] key_switch $($method:tt)*) => {};
    ([hoisted_rotations $($own:ident)*] hoisted_rotations $($method:tt)*) => {};
    ([hoisted_rotate_sum $($own:ident)*] hoisted_rotate_sum $($method:tt)*) => {};
    ([rotate_into $($own:ident)*] rotate_into $($method:tt)*) => {};
    ([divide_round $($own:ident)*] divide_round $($method:tt)*) => {};
    ([big_prepare $($own:ident)*] big_prepare $($method:tt)*) => {};
    ([big_prepared_limbs $($own:ident)*] big_prepared_limbs $($method:tt)*) => {};
    ([big_mul $($own:ident)*] big_mul $($method:tt)*) => {};
    ([$other:ident $($own:ident)*] $($method:tt)*) => { $crate::forward!([$($own)*] $($method)*); };
    ([] $name:ident $s:ident {$module:ident of $to:expr}; ($($arg:ident: $type:ty),*) -> $result:ty) => {
        fn $name(&$s, $($arg: $type),*) -> $result {
            $module::$name($to, $($arg),*)
        }
    };
    ([] $name:ident $s:ident {$to:expr}; ($($arg:ident: $type:ty),*) -> $result:ty) => {
        fn $name(&$s, $($arg: $type),*) -> $result {
            $to.$name($($arg),*)
        }
    };
}
