(** Enclosures of [exp x] in fixed point, for the checker of error bounds: about five times as fast as
    the arbitrary-precision function of the Interval library, with 109 bits or more.

    The number [x] is [k * ln 2 + r] with [0 <= r <= 1]. The Taylor series gives [exp (r / 2^10)], ten
    squarings give [exp r], and a shift by [k] gives [exp x]. Everything is done twice, rounded down and
    rounded up, on multiples of [2^-124], which are two machine words. *)
From Coq Require Import Reals Lra Lia ZArith Bool Factorial.
From Interval Require Import Tactic.
From Flocq Require Import Core.
From Bignums Require Import BigZ BigN.
From Lastbit Require Import Dyadic.
Open Scope R_scope.

(** * The series *)

(** The sum of [r^j / j!] for [j < n]. *)
Fixpoint taylor (n : nat) (r : R) : R :=
  match n with O => 0 | S n => taylor n r + r ^ n / INR (fact n) end.

(** The derivative of the sum with [c] as the last factor is the sum of one term less. *)
Lemma taylor_deriv c n r :
  derivable_pt_lim (fun r => taylor (S n) r + c * (r ^ S n / INR (fact (S n)))) r
    (taylor n r + c * (r ^ n / INR (fact n))).
Proof.
  assert (T : forall c n r, derivable_pt_lim (fun r => c * (r ^ S n / INR (fact (S n)))) r
                (c * (r ^ n / INR (fact n)))).
  { clear. intros c n r.
    replace (c * (r ^ n / INR (fact n))) with (c * / INR (fact (S n)) * (INR (S n) * r ^ n)).
    - apply derivable_pt_lim_ext with (fun r => c * / INR (fact (S n)) * r ^ S n).
      + intros z. unfold Rdiv. ring.
      + apply (derivable_pt_lim_scal (fun z => z ^ S n)), (derivable_pt_lim_pow r (S n)).
    - rewrite fact_simpl, mult_INR. field. split; [apply INR_fact_neq_0|apply not_0_INR; lia]. }
  apply (derivable_pt_lim_plus (taylor (S n)) (fun r => c * (r ^ S n / INR (fact (S n))))); [|apply T].
  induction n as [|n IH]; cbn [taylor].
  - apply derivable_pt_lim_ext with (fun _ => 1); [intros z; cbn; field|apply derivable_pt_lim_const].
  - apply (derivable_pt_lim_plus (taylor (S n)) (fun r => r ^ S n / INR (fact (S n)))); [exact IH|].
    apply derivable_pt_lim_ext with (fun r => 1 * (r ^ S n / INR (fact (S n)))); [intros z; ring|].
    rewrite <- (Rmult_1_l (r ^ n / _)). apply T.
Qed.

Lemma taylor_0 c n : taylor (S n) 0 + c * (0 ^ S n / INR (fact (S n))) = 1.
Proof.
  rewrite pow_i by lia. replace (taylor (S n) 0) with 1; [unfold Rdiv; lra|].
  induction n as [|n IH]; [cbn; field|]. cbn [taylor] in *. rewrite <- IH, pow_i by lia. unfold Rdiv; lra.
Qed.

(** The series stops with a factor that is at most, or at least, the exponential of all smaller numbers. *)
Theorem taylor_below n r : 0 <= r -> taylor n r + r ^ n / INR (fact n) <= exp r.
Proof.
  rewrite <- (Rmult_1_l (r ^ n / _)). revert r. induction n as [|n IH]; intros r [P|<-].
  - cbn. generalize (exp_ineq1 r ltac:(lra)). lra.
  - cbn. rewrite exp_0. lra.
  - destruct (MVT_cor2 (fun r => exp r - (taylor (S n) r + 1 * (r ^ S n / INR (fact (S n)))))
      (fun r => exp r - (taylor n r + 1 * (r ^ n / INR (fact n)))) 0 r P) as (c & E & C).
    + intros c _. apply (derivable_pt_lim_minus exp); [apply derivable_pt_lim_exp|apply taylor_deriv].
    + rewrite exp_0, taylor_0 in E. specialize (IH c ltac:(lra)). nra.
  - rewrite taylor_0, exp_0. lra.
Qed.

Theorem taylor_above n r : 0 <= r <= / 2 -> exp r <= taylor n r + 2 * (r ^ n / INR (fact n)).
Proof.
  revert r. induction n as [|n IH]; intros r [[P|<-] L].
  - cbn. assert (E := exp_ineq1_le (- r)). rewrite exp_Ropp in E.
    assert (X := exp_pos r). assert (Y : exp r * / exp r = 1) by (field; lra). nra.
  - cbn. rewrite exp_0. lra.
  - destruct (MVT_cor2 (fun r => taylor (S n) r + 2 * (r ^ S n / INR (fact (S n))) - exp r)
      (fun r => taylor n r + 2 * (r ^ n / INR (fact n)) - exp r) 0 r P) as (c & E & C).
    + intros c _. apply (derivable_pt_lim_minus _ exp); [apply taylor_deriv|apply derivable_pt_lim_exp].
    + rewrite exp_0, taylor_0 in E. specialize (IH c ltac:(lra)). nra.
  - rewrite taylor_0, exp_0. lra.
Qed.

(** * In fixed point *)

(** The integer [m] stands for [m * unit]; [one] stands for 1. *)
Definition bits : bigZ := 124%bigZ.
Definition one : bigZ := Eval vm_compute in BigZ.shiftl 1 bits.
Definition ln2_below : bigZ := 14741610201594580883621508922759655274%bigZ.
Definition ln2_above : bigZ := BigZ.succ ln2_below.
Local Notation unit := (bpow radix2 (-124)).

(** A product, rounded down. *)
Definition fmul (a b : bigZ) : bigZ := BigZ.shiftr (a * b) bits.

(** The [n] terms that follow [t], the [k]-th one, and the sum of all before it. *)
Fixpoint series_below (n : nat) (k a t sum : bigZ) : bigZ :=
  match n with
  | O => sum + t
  | S n => let k := BigZ.succ k in series_below n k a (BigZ.div (fmul t a) k) (sum + t)
  end%bigZ.
Fixpoint series_above (n : nat) (k a t sum : bigZ) : bigZ :=
  match n with
  | O => sum + 2 * t
  | S n => let k := BigZ.succ k in
           series_above n k a (BigZ.succ (BigZ.div (BigZ.succ (fmul t a)) k)) (sum + t)
  end%bigZ.
Fixpoint squares_below (n : nat) (a : bigZ) : bigZ :=
  match n with O => a | S n => squares_below n (fmul a a) end.
Fixpoint squares_above (n : nat) (a : bigZ) : bigZ :=
  match n with O => a | S n => squares_above n (BigZ.succ (fmul a a)) end.

(** [x] lies between [k * ln 2 + a * unit] and [k * ln 2 + b * unit]. Any [k] will do; this one is about
    [x / ln 2]: the factor is [2^32 / ln 2]. *)
Definition reduce (x : dy) : bigZ * bigZ * bigZ :=
  let m := BigZ.shiftl (mant x) (expo x + bits) in
  let k := BigZ.shiftr (BigZ.shiftr m 92 * 6196328018) 64 in
  let (l, h) := if BigZ.leb 0 k then (ln2_below, ln2_above) else (ln2_above, ln2_below) in
  (k, m - k * h, BigZ.succ m - k * l)%bigZ.

(** Numbers below and above [exp x]. *)
Definition exp_bounds (x : dy) : option (dy * dy) :=
  let '(k, a, b) := reduce x in
  if BigZ.leb 0 a && BigZ.leb b one then
    let below := squares_below 10 (series_below 10 0 (BigZ.shiftr a 10) one 0) in
    let above := squares_above 10 (series_above 10 0 (BigZ.succ (BigZ.shiftr b 10)) one 0) in
    let e := (k - bits)%bigZ in
    Some (D below e, D above e)
  else None.

Lemma unit_one : IZR [one]%bigZ * unit = 1.
Proof.
  replace [one]%bigZ with (radix2 ^ 124)%Z by (vm_compute; reflexivity).
  rewrite IZR_Zpower, <- bpow_plus by lia. reflexivity.
Qed.

Lemma ln2_bounds : IZR [ln2_below]%bigZ * unit <= ln 2 <= IZR [ln2_above]%bigZ * unit.
Proof.
  replace [ln2_below]%bigZ with 14741610201594580883621508922759655274%Z by (vm_compute; reflexivity).
  replace [ln2_above]%bigZ with 14741610201594580883621508922759655275%Z by (vm_compute; reflexivity).
  split; interval with (i_prec 160).
Qed.

(** An integer shifted to the right, in real numbers. *)
Lemma shiftr_bounds m k : (0 <= k)%Z ->
  IZR (Z.shiftr m k) <= IZR m * bpow radix2 (- k) < IZR (Z.shiftr m k) + 1.
Proof.
  intros K. rewrite Z.shiftr_div_pow2, <- Zfloor_div by (apply Z.pow_nonzero || exact K; lia).
  rewrite bpow_opp, <- IZR_Zpower by exact K. change (radix_val radix2) with 2%Z.
  split; [apply Zfloor_lb|apply Zfloor_ub].
Qed.

Lemma fmul_bounds a b : IZR [fmul a b]%bigZ * unit <= IZR [a]%bigZ * unit * (IZR [b]%bigZ * unit)
                          <= (IZR [fmul a b]%bigZ + 1) * unit.
Proof.
  unfold fmul. big. change [bits]%bigZ with 124%Z.
  assert (B := shiftr_bounds ([a]%bigZ * [b]%bigZ) 124 ltac:(lia)). rewrite mult_IZR in B.
  change (- (124))%Z with (-124)%Z in B. assert (U := bpow_gt_0 radix2 (-124)). set (u := unit) in *.
  replace (_ * u * (_ * u)) with (IZR [a]%bigZ * IZR [b]%bigZ * u * u) by ring.
  split; apply Rmult_le_compat_r; lra.
Qed.

Lemma div_bounds m k : (0 < k)%Z -> IZR (m / k) * IZR k <= IZR m < (IZR (m / k) + 1) * IZR k.
Proof.
  intros K. rewrite <- plus_IZR, <- !mult_IZR.
  split; [apply IZR_le|apply IZR_lt]; Z.div_mod_to_equations; nia.
Qed.

(** The next term of the series. *)
Lemma next_term k r : r ^ k / INR (fact k) * r = r ^ S k / INR (fact (S k)) * IZR (Z.of_nat (S k)).
Proof.
  rewrite <- INR_IZR_INZ, fact_simpl, mult_INR. cbn [pow]. field.
  split; [apply INR_fact_neq_0|apply not_0_INR; lia].
Qed.

Lemma series_below_ok n k kk a t sum r : [kk]%bigZ = Z.of_nat k ->
  0 <= r -> IZR [a]%bigZ * unit <= r -> (0 <= [a]%bigZ)%Z -> (0 <= [t]%bigZ)%Z ->
  IZR [t]%bigZ * unit <= r ^ k / INR (fact k) -> IZR [sum]%bigZ * unit <= taylor k r ->
  IZR [series_below n kk a t sum]%bigZ * unit <= exp r.
Proof.
  intros K R A A0. assert (U := bpow_gt_0 radix2 (-124)).
  revert k kk t sum K. induction n as [|n IH]; intros k kk t sum K T0 T S; cbn [series_below].
  - eapply Rle_trans; [|apply (taylor_below k r R)]. big. rewrite plus_IZR. lra.
  - apply (IH (Datatypes.S k)).
    + big. lia.
    + unfold fmul. big. apply Z.div_pos; [|lia]. apply Z.shiftr_nonneg. nia.
    + assert (F := proj1 (fmul_bounds t a)). assert (N := next_term k r).
      rewrite BigZ.spec_div, BigZ.spec_succ, K.
      replace (Z.of_nat k + 1)%Z with (Z.of_nat (Datatypes.S k)) by lia.
      assert (Q := proj1 (div_bounds [fmul t a]%bigZ (Z.of_nat (Datatypes.S k)) ltac:(lia))).
      assert (P : 0 < IZR (Z.of_nat (Datatypes.S k))) by (apply IZR_lt; lia).
      apply Rmult_le_reg_r with (1 := P). rewrite <- N.
      apply Rle_trans with (IZR [fmul t a]%bigZ * unit); [nra|].
      apply Rle_trans with (1 := F). apply IZR_le in A0, T0. apply Rmult_le_compat; nra.
    + big. rewrite plus_IZR. cbn [taylor]. lra.
Qed.

Lemma series_above_ok n k kk a t sum r : [kk]%bigZ = Z.of_nat k ->
  0 <= r <= / 2 -> r <= IZR [a]%bigZ * unit -> (0 <= [t]%bigZ)%Z ->
  r ^ k / INR (fact k) <= IZR [t]%bigZ * unit -> taylor k r <= IZR [sum]%bigZ * unit ->
  exp r <= IZR [series_above n kk a t sum]%bigZ * unit.
Proof.
  intros K R A. assert (U := bpow_gt_0 radix2 (-124)).
  assert (A0 : (0 <= [a]%bigZ)%Z) by (apply le_IZR, Rmult_le_reg_r with (1 := U); lra).
  revert k kk t sum K. induction n as [|n IH]; intros k kk t sum K T0 T S; cbn [series_above].
  - eapply Rle_trans; [apply (taylor_above k r R)|]. big. rewrite plus_IZR, mult_IZR. lra.
  - assert (F0 : (0 <= [fmul t a]%bigZ)%Z) by (unfold fmul; big; apply Z.shiftr_nonneg; nia).
    apply (IH (Datatypes.S k)).
    + big. lia.
    + big. assert (0 <= ([fmul t a]%bigZ + 1) / ([kk]%bigZ + 1))%Z by (apply Z.div_pos; lia). lia.
    + assert (F := proj2 (fmul_bounds t a)). assert (N := next_term k r).
      rewrite BigZ.spec_succ, BigZ.spec_div, !BigZ.spec_succ, K.
      replace (Z.of_nat k + 1)%Z with (Z.of_nat (Datatypes.S k)) by lia.
      assert (Q := proj2 (div_bounds ([fmul t a]%bigZ + 1) (Z.of_nat (Datatypes.S k)) ltac:(lia))).
      assert (P : 0 < IZR (Z.of_nat (Datatypes.S k))) by (apply IZR_lt; lia).
      apply Rmult_le_reg_r with (1 := P). rewrite <- N. rewrite !plus_IZR in *.
      apply Rle_trans with ((IZR [fmul t a]%bigZ + 1) * unit); [|nra].
      apply Rle_trans with (2 := F). apply Rmult_le_compat; try lra.
      apply Rmult_le_pos; [apply pow_le; lra|apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0].
    + big. rewrite plus_IZR. cbn [taylor]. lra.
Qed.

Lemma squares_below_ok n a r : (0 <= [a]%bigZ)%Z -> IZR [a]%bigZ * unit <= exp r ->
  IZR [squares_below n a]%bigZ * unit <= exp (r * 2 ^ n).
Proof.
  assert (U := bpow_gt_0 radix2 (-124)).
  revert a r. induction n as [|n IH]; intros a r P H; cbn [squares_below pow]; [rewrite Rmult_1_r; exact H|].
  replace (r * (2 * 2 ^ n)) with ((r + r) * 2 ^ n) by ring. apply IH.
  - unfold fmul. big. apply Z.shiftr_nonneg. nia.
  - rewrite exp_plus. eapply Rle_trans; [apply fmul_bounds|]. apply IZR_le in P. apply Rmult_le_compat; nra.
Qed.

Lemma squares_above_ok n a r : exp r <= IZR [a]%bigZ * unit ->
  exp (r * 2 ^ n) <= IZR [squares_above n a]%bigZ * unit.
Proof.
  revert a r. induction n as [|n IH]; intros a r H; cbn [squares_above pow]; [rewrite Rmult_1_r; exact H|].
  replace (r * (2 * 2 ^ n)) with ((r + r) * 2 ^ n) by ring. apply IH.
  rewrite exp_plus, BigZ.spec_succ, plus_IZR. eapply Rle_trans; [|apply fmul_bounds].
  assert (E := exp_pos r). apply Rmult_le_compat; lra.
Qed.

Lemma reduce_ok x : let '(k, a, b) := reduce x in
  IZR [a]%bigZ * unit <= V x - IZR [k]%bigZ * ln 2 <= IZR [b]%bigZ * unit.
Proof.
  unfold reduce. set (m := BigZ.shiftl (mant x) _). set (k := BigZ.shiftr _ 64).
  assert (U := bpow_gt_0 radix2 (-124)). assert (L := ln2_bounds).
  assert (M : IZR [m]%bigZ * unit <= V x <= (IZR [m]%bigZ + 1) * unit).
  { unfold m. big. change [bits]%bigZ with 124%Z. unfold V.
    destruct (Z.le_gt_cases 0 ([expo x]%bigZ + 124)) as [E|E].
    - rewrite Z.shiftl_mul_pow2, mult_IZR by exact E. change 2%Z with (radix_val radix2).
      rewrite IZR_Zpower, Rmult_plus_distr_r, Rmult_assoc, <- bpow_plus by exact E.
      replace ([expo x]%bigZ + 124 + -124)%Z with [expo x]%bigZ by lia. lra.
    - assert (B := shiftr_bounds [mant x]%bigZ (- ([expo x]%bigZ + 124)) ltac:(lia)).
      rewrite Z.shiftr_opp_r, Z.opp_involutive in B.
      replace (bpow radix2 [expo x]%bigZ) with (bpow radix2 ([expo x]%bigZ + 124) * unit)
        by (rewrite <- bpow_plus; f_equal; lia).
      rewrite <- Rmult_assoc. split; apply Rmult_le_compat_r; lra. }
  clearbody m k. destruct (BigZ.leb 0 k) eqn:S; rewrite BigZ.spec_leb in S; change [0]%bigZ with 0%Z in S;
    [apply Z.leb_le, IZR_le in S|apply Z.leb_gt, IZR_lt in S];
    rewrite !BigZ.spec_sub, !BigZ.spec_mul, BigZ.spec_succ, !minus_IZR, !mult_IZR, !plus_IZR; split; nra.
Qed.

(** Ten halvings. *)
Lemma halvings r a b : 0 <= r <= 1 -> (0 <= [a]%bigZ)%Z ->
  IZR [a]%bigZ * unit <= r <= IZR [b]%bigZ * unit ->
  let s := r * bpow radix2 (-10) in
  (0 <= s <= / 2) /\ (0 <= [BigZ.shiftr a 10]%bigZ)%Z /\
  IZR [BigZ.shiftr a 10]%bigZ * unit <= s <= IZR [BigZ.succ (BigZ.shiftr b 10)]%bigZ * unit.
Proof.
  intros R A0 B. rewrite BigZ.spec_succ, !BigZ.spec_shiftr. change [10]%bigZ with 10%Z.
  assert (Sa := shiftr_bounds [a]%bigZ 10 ltac:(lia)). assert (Sb := shiftr_bounds [b]%bigZ 10 ltac:(lia)).
  change (- (10))%Z with (-10)%Z in *.
  assert (U := bpow_gt_0 radix2 (-124)). assert (P := bpow_gt_0 radix2 (-10)).
  assert (H : bpow radix2 (-10) <= / 2) by (change (/ 2) with (bpow radix2 (-1)); apply bpow_le; lia).
  rewrite plus_IZR. set (u := unit) in *. set (p := bpow radix2 (-10)) in *. clearbody u p.
  split; [split; nra|]. split; [apply Z.shiftr_nonneg, A0|]. split.
  - apply Rle_trans with (IZR [a]%bigZ * u * p); [|apply Rmult_le_compat_r; lra].
    replace (IZR [a]%bigZ * u * p) with (IZR [a]%bigZ * p * u) by ring. apply Rmult_le_compat_r; lra.
  - apply Rle_trans with (IZR [b]%bigZ * u * p); [apply Rmult_le_compat_r; lra|].
    replace (IZR [b]%bigZ * u * p) with (IZR [b]%bigZ * p * u) by ring. apply Rmult_le_compat_r; lra.
Qed.

Lemma series_nonneg n k a t sum : (0 <= [k]%bigZ)%Z -> (0 <= [a]%bigZ)%Z -> (0 <= [t]%bigZ)%Z ->
  (0 <= [sum]%bigZ)%Z -> (0 <= [series_below n k a t sum]%bigZ)%Z.
Proof.
  intros K A. revert k K t sum. induction n as [|n IH]; intros k K t sum T S; cbn [series_below].
  - rewrite BigZ.spec_add. lia.
  - apply IH; rewrite ?BigZ.spec_succ, ?BigZ.spec_add; try lia.
    unfold fmul. rewrite BigZ.spec_div, BigZ.spec_succ, BigZ.spec_shiftr, BigZ.spec_mul.
    apply Z.div_pos; [|lia]. apply Z.shiftr_nonneg. nia.
Qed.

(** The bounds hold. *)
Theorem exp_bounds_ok x l h : exp_bounds x = Some (l, h) -> V l <= exp (V x) <= V h.
Proof.
  unfold exp_bounds. assert (R := reduce_ok x). destruct (reduce x) as [[k a] b].
  rewrite !BigZ.spec_leb. destruct (_ && _) eqn:G; [|discriminate].
  apply andb_true_iff in G as [A%Z.leb_le B%Z.leb_le]. cbv zeta.
  change [0]%bigZ with 0%Z in A.
  assert (U := bpow_gt_0 radix2 (-124)). assert (O := unit_one).
  set (r := V x - IZR [k]%bigZ * ln 2) in *.
  assert (R1 : 0 <= r <= 1).
  { apply IZR_le in A, B. split; [nra|]. apply Rle_trans with (1 := proj2 R).
    rewrite <- O. apply Rmult_le_compat_r; lra. }
  destruct (halvings r a b R1 A R) as (S & A' & Sa & Sb). set (s := r * _) in *.
  assert (X : exp (V x) = exp (s * 2 ^ 10) * bpow radix2 [k]%bigZ).
  { rewrite bpow_exp, <- exp_plus. change (IZR radix2) with 2. f_equal.
    unfold s, r. change (bpow radix2 (-10)) with (/ 1024). lra. }
  assert (One : (0 <= [one]%bigZ)%Z) by (apply le_IZR; nra).
  assert (Zero : IZR [0]%bigZ * unit = 0) by (change [0]%bigZ with 0%Z; lra).
  assert (T0 : s ^ 0 / INR (fact 0) = 1) by (cbn; lra).
  assert (L := squares_below_ok 10 (series_below 10 0 (BigZ.shiftr a 10) one 0) s).
  assert (H := squares_above_ok 10 (series_above 10 0 (BigZ.succ (BigZ.shiftr b 10)) one 0) s).
  set (below := squares_below 10 _) in *. set (above := squares_above 10 _) in *.
  assert (L' : IZR [below]%bigZ * unit <= exp (s * 2 ^ 10)).
  { apply L.
    - apply series_nonneg; try exact A'; try exact One; apply Z.le_refl.
    - apply (series_below_ok 10 0); try reflexivity; try assumption; cbn [taylor]; lra. }
  assert (H' : exp (s * 2 ^ 10) <= IZR [above]%bigZ * unit).
  { apply H. apply (series_above_ok 10 0); try reflexivity; try assumption; cbn [taylor]; lra. }
  clearbody below above. clear L H. intros [= <- <-].
  assert (VD : forall m e, V (D m e) = IZR [m]%bigZ * bpow radix2 [e]%bigZ) by reflexivity.
  rewrite !VD, BigZ.spec_sub. change [bits]%bigZ with 124%Z.
  replace ([k]%bigZ - 124)%Z with (-124 + [k]%bigZ)%Z by lia.
  rewrite bpow_plus, X, <- !Rmult_assoc.
  split; apply Rmult_le_compat_r; try apply bpow_ge_0; assumption.
Qed.
