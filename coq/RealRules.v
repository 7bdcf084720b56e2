(** The error rules, as facts about real numbers.

    Every operation has two readings: r, over the reals, and f, in floats. Here stands what the errors of the
    operands do to the exact operation:

    - NAME_abs bounds |f - r| by the operands' absolute errors d,
    - NAME_rel bounds |f - r| by rho * |r| from the operands' relative errors rho,
    - slope_NAME writes f - r exactly as a sum of slopes times the operands' differences, with slopes in known
      intervals: the linear forms.

    The operation's own rounding is in Rounding.v; total_abs and total_rel put the two together. All of it is
    elementary: the triangle inequality, monotone functions, the mean value theorem, e^x >= 1 + x. *)
From Coq Require Import Reals Lra ZArith.
From Flocq Require Import Core.
Open Scope R_scope.

(** * From the exact operation to the judgement *)

(** v is the exact result on the operands' floats, f what the operation makes of it. *)
Lemma total_abs f v r x p : Rabs (v - r) <= x -> Rabs (f - v) <= p -> Rabs (f - r) <= x + p.
Proof.
  intros Hx Hp. replace (f - r) with ((v - r) + (f - v)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Lemma value_le v r x m : Rabs (v - r) <= x -> Rabs r <= m -> Rabs v <= m + x.
Proof.
  intros Hx Hm. replace v with (r + (v - r)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

(** An operation with the relative error u and the absolute error t on top of a relative error rho. *)
Lemma total_rel f v r rho u t : 0 <= u -> Rabs (v - r) <= rho * Rabs r -> Rabs (f - v) <= u * Rabs v + t ->
  Rabs (f - r) <= (rho + u * (1 + rho)) * Rabs r + t.
Proof.
  intros Hu Hv Hf.
  assert (Hm : u * Rabs v <= u * (Rabs r + rho * Rabs r)).
  { apply Rmult_le_compat_l; [exact Hu|]. apply (value_le v r); [exact Hv|apply Rle_refl]. }
  apply Rle_trans with (rho * Rabs r + (u * Rabs v + t)); [now apply (total_abs f v r)|lra].
Qed.

Lemma abs_of_rel f r rho t m : 0 <= rho -> Rabs (f - r) <= rho * Rabs r + t -> Rabs r <= m ->
  Rabs (f - r) <= rho * m + t.
Proof.
  intros Hrho Hf Hm. apply Rle_trans with (1 := Hf).
  apply Rplus_le_compat_r. now apply Rmult_le_compat_l.
Qed.

Lemma rel_of_abs f r d m : Rabs (f - r) <= d -> 0 < m <= Rabs r -> Rabs (f - r) <= d / m * Rabs r.
Proof.
  intros Hf [Hm Hr]. apply Rle_trans with (1 := Hf).
  assert (Hd : 0 <= d) by (apply Rle_trans with (2 := Hf), Rabs_pos).
  replace d with (d / m * m) at 1 by (field; lra).
  apply Rmult_le_compat_l; [|exact Hr]. apply Rmult_le_pos; [exact Hd|].
  now apply Rlt_le, Rinv_0_lt_compat.
Qed.

(** Where the float lies. *)
Lemma float_ends f r d lo hi : Rabs (f - r) <= d -> lo <= r <= hi -> lo - d <= f <= hi + d.
Proof. intros Hf Hr. apply Rabs_le_inv in Hf. lra. Qed.

Lemma float_low_rel f r rho lo :
  Rabs (f - r) <= rho * Rabs r -> rho <= 1 -> 0 <= lo <= r -> lo * (1 - rho) <= f.
Proof.
  intros Hf Hrho [Hlo Hr]. rewrite (Rabs_pos_eq r) in Hf by lra. apply Rabs_le_inv in Hf.
  apply Rle_trans with (r * (1 - rho)); [|lra]. apply Rmult_le_compat_r; lra.
Qed.

Lemma float_high_rel f r rho hi :
  Rabs (f - r) <= rho * Rabs r -> rho <= 1 -> r <= hi <= 0 -> f <= hi * (1 - rho).
Proof.
  intros Hf Hrho [Hr Hhi]. rewrite (Rabs_left1 r) in Hf by lra. apply Rabs_le_inv in Hf.
  apply Rle_trans with (r * (1 - rho)); [lra|]. apply Rmult_le_compat_r; lra.
Qed.

(** * NEG, ABS, ADD, SUB *)

Lemma neg_abs f r d : Rabs (f - r) <= d -> Rabs (- f - - r) <= d.
Proof. intros H. replace (- f - - r) with (- (f - r)) by ring. now rewrite Rabs_Ropp. Qed.

Lemma neg_rel f r rho : Rabs (f - r) <= rho * Rabs r -> Rabs (- f - - r) <= rho * Rabs (- r).
Proof. rewrite Rabs_Ropp. apply neg_abs. Qed.

Lemma abs_abs f r d : Rabs (f - r) <= d -> Rabs (Rabs f - Rabs r) <= d.
Proof. apply Rle_trans, Rabs_triang_inv2. Qed.

Lemma abs_rel f r rho : Rabs (f - r) <= rho * Rabs r -> Rabs (Rabs f - Rabs r) <= rho * Rabs (Rabs r).
Proof. rewrite Rabs_Rabsolu. apply abs_abs. Qed.

Lemma add_abs f1 r1 d1 f2 r2 d2 : Rabs (f1 - r1) <= d1 -> Rabs (f2 - r2) <= d2 ->
  Rabs ((f1 + f2) - (r1 + r2)) <= d1 + d2.
Proof. intros H1 H2. apply Rabs_le_inv in H1, H2. apply Rabs_le. lra. Qed.

(** Operands of one sign: no cancellation. *)
Lemma add_rel f1 r1 rho1 f2 r2 rho2 : Rabs (f1 - r1) <= rho1 * Rabs r1 -> Rabs (f2 - r2) <= rho2 * Rabs r2 ->
  (0 <= r1 /\ 0 <= r2) \/ (r1 <= 0 /\ r2 <= 0) ->
  Rabs ((f1 + f2) - (r1 + r2)) <= Rmax rho1 rho2 * Rabs (r1 + r2).
Proof.
  intros H1 H2 Hs.
  replace (Rabs (r1 + r2)) with (Rabs r1 + Rabs r2) by (unfold Rabs; repeat destruct Rcase_abs; lra).
  rewrite Rmult_plus_distr_l.
  apply add_abs; [apply Rle_trans with (1 := H1)|apply Rle_trans with (1 := H2)];
    apply Rmult_le_compat_r; auto using Rabs_pos, Rmax_l, Rmax_r.
Qed.

Lemma sub_abs f1 r1 d1 f2 r2 d2 : Rabs (f1 - r1) <= d1 -> Rabs (f2 - r2) <= d2 ->
  Rabs ((f1 - f2) - (r1 - r2)) <= d1 + d2.
Proof. intros H1 H2. now apply add_abs, neg_abs. Qed.

Lemma sub_rel f1 r1 rho1 f2 r2 rho2 : Rabs (f1 - r1) <= rho1 * Rabs r1 -> Rabs (f2 - r2) <= rho2 * Rabs r2 ->
  (0 <= r1 /\ r2 <= 0) \/ (r1 <= 0 /\ 0 <= r2) ->
  Rabs ((f1 - f2) - (r1 - r2)) <= Rmax rho1 rho2 * Rabs (r1 - r2).
Proof. intros H1 H2 Hs. apply add_rel; [exact H1|now apply neg_rel|lra]. Qed.

(** * MUL, DIV *)

(** f1*f2 - r1*r2 = r1*(f2 - r2) + r2*(f1 - r1) + (f1 - r1)*(f2 - r2) *)
Lemma mul_abs f1 r1 d1 m1 f2 r2 d2 m2 : Rabs (f1 - r1) <= d1 -> Rabs (f2 - r2) <= d2 ->
  Rabs r1 <= m1 -> Rabs r2 <= m2 -> Rabs (f1 * f2 - r1 * r2) <= m1 * d2 + m2 * d1 + d1 * d2.
Proof.
  intros H1 H2 Hm1 Hm2.
  replace (f1 * f2 - r1 * r2) with (r1 * (f2 - r2) + r2 * (f1 - r1) + (f1 - r1) * (f2 - r2)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  apply Rplus_le_compat; [apply Rle_trans with (1 := Rabs_triang _ _); apply Rplus_le_compat|];
    rewrite Rabs_mult; now apply Rmult_le_compat; try apply Rabs_pos.
Qed.

Lemma mul_rel f1 r1 rho1 f2 r2 rho2 : Rabs (f1 - r1) <= rho1 * Rabs r1 -> Rabs (f2 - r2) <= rho2 * Rabs r2 ->
  Rabs (f1 * f2 - r1 * r2) <= (rho1 + rho2 + rho1 * rho2) * Rabs (r1 * r2).
Proof.
  intros H1 H2. apply Rle_trans with (1 := mul_abs _ _ _ _ _ _ _ _ H1 H2 (Rle_refl _) (Rle_refl _)).
  rewrite Rabs_mult. lra.
Qed.

(** f1/f2 - r1/r2 = ((f1 - r1) - r1/r2 * (f2 - r2)) / f2 *)
Lemma div_abs f1 r1 d1 f2 r2 d2 q b : r2 <> 0 -> 0 < b <= Rabs f2 -> Rabs (r1 / r2) <= q ->
  Rabs (f1 - r1) <= d1 -> Rabs (f2 - r2) <= d2 -> Rabs (f1 / f2 - r1 / r2) <= (d1 + q * d2) / b.
Proof.
  intros Hr2 [Hb Hf2] Hq H1 H2.
  assert (Hf0 : f2 <> 0) by (intros E; rewrite E, Rabs_R0 in Hf2; lra).
  replace (f1 / f2 - r1 / r2) with (((f1 - r1) - r1 / r2 * (f2 - r2)) / f2) by (field; now split).
  unfold Rdiv at 1 3. rewrite Rabs_mult, Rabs_inv.
  apply Rmult_le_compat; [apply Rabs_pos|now apply Rlt_le, Rinv_0_lt_compat, Rabs_pos_lt| |now apply Rinv_le].
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp, Rabs_mult.
  apply Rplus_le_compat; [exact H1|]. now apply Rmult_le_compat; try apply Rabs_pos.
Qed.

(** (1 + t1)/(1 + t2) - 1 = (t1 - t2)/(1 + t2), and 1/(1 - rho2) <= 1 + 2*rho2 for rho2 <= 1/2. *)
Lemma div_rel f1 r1 rho1 f2 r2 rho2 : r2 <> 0 -> 0 <= rho1 -> 0 <= rho2 <= 1 / 2 ->
  Rabs (f1 - r1) <= rho1 * Rabs r1 -> Rabs (f2 - r2) <= rho2 * Rabs r2 ->
  Rabs (f1 / f2 - r1 / r2) <= (rho1 + rho2) * (1 + 2 * rho2) * Rabs (r1 / r2).
Proof.
  intros Hr2 Hrho1 Hrho2 H1 H2.
  assert (P : 0 < Rabs r2) by now apply Rabs_pos_lt.
  assert (B : (1 - rho2) * Rabs r2 <= Rabs f2).
  { pose proof (Rabs_triang_inv r2 f2) as T. rewrite Rabs_minus_sym in T. lra. }
  assert (Hb : 0 < (1 - rho2) * Rabs r2) by (apply Rmult_lt_0_compat; lra).
  apply Rle_trans with (1 := div_abs _ _ _ _ _ _ _ _ Hr2 (conj Hb B) (Rle_refl _) H1 H2).
  replace (Rabs (r1 / r2)) with (Rabs r1 / Rabs r2) by (unfold Rdiv; now rewrite Rabs_mult, Rabs_inv).
  replace ((rho1 * Rabs r1 + Rabs r1 / Rabs r2 * (rho2 * Rabs r2)) / ((1 - rho2) * Rabs r2))
    with ((rho1 + rho2) * / (1 - rho2) * (Rabs r1 / Rabs r2)) by (field; lra).
  apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply Rabs_pos|now apply Rlt_le, Rinv_0_lt_compat]|].
  apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_reg_r with (1 - rho2); [lra|]. rewrite Rinv_l by lra. nra.
Qed.

(** * SQRT *)

Lemma slope_sqrt f r : 0 <= f -> 0 <= r -> 0 < sqrt f + sqrt r ->
  sqrt f - sqrt r = / (sqrt f + sqrt r) * (f - r).
Proof.
  intros Hf Hr Hs. rewrite <- (sqrt_sqrt f) at 3 by exact Hf. rewrite <- (sqrt_sqrt r) at 3 by exact Hr.
  field. lra.
Qed.

Lemma sqrt_abs f r d a b : 0 <= f -> 0 <= r -> a <= sqrt f -> b <= sqrt r -> 0 < a + b ->
  Rabs (f - r) <= d -> Rabs (sqrt f - sqrt r) <= d / (a + b).
Proof.
  intros Hf Hr Ha Hb Hab Hd. rewrite slope_sqrt by lra.
  rewrite Rmult_comm, Rabs_mult, (Rabs_pos_eq (/ _)) by (apply Rlt_le, Rinv_0_lt_compat; lra).
  apply Rmult_le_compat; [apply Rabs_pos|apply Rlt_le, Rinv_0_lt_compat; lra|exact Hd|apply Rinv_le; lra].
Qed.

(** (sqrt f - sqrt r)^2 <= |sqrt f - sqrt r| * (sqrt f + sqrt r) = |f - r| *)
Lemma sqrt_abs_root f r d : 0 <= f -> 0 <= r -> Rabs (f - r) <= d -> Rabs (sqrt f - sqrt r) <= sqrt d.
Proof.
  intros Hf Hr Hd. apply Rle_trans with (sqrt (Rabs (f - r))).
  - rewrite <- (sqrt_Rsqr (Rabs (sqrt f - sqrt r))) by apply Rabs_pos. apply sqrt_le_1_alt.
    unfold Rsqr. rewrite <- Rabs_mult.
    pose proof (sqrt_pos f). pose proof (sqrt_pos r).
    pose proof (sqrt_sqrt f Hf). pose proof (sqrt_sqrt r Hr).
    rewrite Rabs_pos_eq by apply Rle_0_sqr.
    destruct (Rle_lt_dec r f) as [G|G].
    + rewrite Rabs_pos_eq by lra. pose proof (sqrt_le_1_alt r f G). nra.
    + rewrite Rabs_left by lra. pose proof (sqrt_le_1_alt f r (Rlt_le _ _ G)). nra.
  - now apply sqrt_le_1_alt.
Qed.

(** f >= r*(1 - rho) gives sqrt f >= sqrt r * (1 - rho): the divisor sqrt f + sqrt r of slope_sqrt is at
    least (2 - rho) * sqrt r, and rho/(2 - rho) <= rho*(1 + rho)/2 for rho <= 1. For rho > 1 the bound is
    above sqrt r and rho/2 * sqrt r. *)
Lemma sqrt_rel f r rho : 0 <= f -> 0 <= r -> 0 <= rho -> Rabs (f - r) <= rho * Rabs r ->
  Rabs (sqrt f - sqrt r) <= rho * (1 + rho) / 2 * Rabs (sqrt r).
Proof.
  intros Hf Hr Hrho H. rewrite (Rabs_pos_eq r) in H by exact Hr. apply Rabs_le_inv in H.
  rewrite (Rabs_pos_eq (sqrt r)) by apply sqrt_pos.
  pose proof (sqrt_pos f) as Pf. pose proof (sqrt_pos r) as Pr.
  pose proof (sqrt_sqrt f Hf) as Sf. pose proof (sqrt_sqrt r Hr) as Sr.
  set (s := sqrt f) in *. set (q := sqrt r) in *. clearbody s q. subst f r.
  assert (Q2 : 0 <= q * q) by apply Rle_0_sqr.
  assert (U : s <= q * (1 + rho / 2)).
  { apply Rsqr_incr_0_var; unfold Rsqr; [|apply Rmult_le_pos; lra].
    pose proof (Rmult_le_pos _ _ Q2 (Rle_0_sqr rho)). unfold Rsqr in *. lra. }
  assert (L : q * (1 - rho * (1 + rho) / 2) <= s).
  { destruct (Rle_lt_dec 1 rho) as [G|G]; [nra|].
    assert (L1 : q * (1 - rho) <= s).
    { apply Rsqr_incr_0_var; unfold Rsqr; [|exact Pf].
      assert (0 <= (q * q) * (rho * (1 - rho))) by (apply Rmult_le_pos; [exact Q2|apply Rmult_le_pos; lra]).
      lra. }
    assert (L2 : (q - s) * (2 - rho) <= rho * q).
    { destruct (Rle_lt_dec q s); [nra|].
      destruct (Rle_lt_or_eq_dec _ _ Pr) as [Q|Q]; [|nra].
      apply Rmult_le_reg_r with q; [exact Q|].
      assert (0 <= (q - s) * (s - q * (1 - rho))) by (apply Rmult_le_pos; lra). lra. }
    apply Rmult_le_reg_r with (2 - rho); [lra|].
    apply Rle_trans with (q * (2 - rho) - rho * q); [|lra].
    assert (0 <= q * rho * rho * (1 - rho)) by (repeat apply Rmult_le_pos; lra). nra. }
  apply Rabs_le. nra.
Qed.

(** * LN *)

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H|H]; [now apply Rlt_le, ln_increasing|rewrite H; lra]. Qed.

(** The mean value theorem, for both orders of the points. *)
Lemma mean_value g g' f r a b : a <= f <= b -> a <= r <= b ->
  (forall c, a <= c <= b -> derivable_pt_lim g c (g' c)) ->
  exists c, a <= c <= b /\ g f - g r = g' c * (f - r).
Proof.
  intros Hf Hr D. destruct (Rtotal_order f r) as [H|[H|H]].
  - destruct (MVT_cor2 g g' f r H) as (c & E & Hc); [intros; apply D; lra|]. exists c. split; lra.
  - exists r. split; [exact Hr|]. rewrite H. ring.
  - destruct (MVT_cor2 g g' r f H) as (c & E & Hc); [intros; apply D; lra|]. exists c. split; lra.
Qed.

Lemma slope_ln f r a b : 0 < a -> a <= f <= b -> a <= r <= b ->
  exists s, / b <= s <= / a /\ ln f - ln r = s * (f - r).
Proof.
  intros Ha Hf Hr. destruct (mean_value ln Rinv f r a b Hf Hr) as (c & Hc & E).
  { intros c Hc. apply derivable_pt_lim_ln. lra. }
  exists (/ c). split; [|exact E]. split; apply Rinv_le; lra.
Qed.

Lemma ln_abs f r d c : 0 < c -> c <= f -> c <= r -> Rabs (f - r) <= d -> Rabs (ln f - ln r) <= d / c.
Proof.
  intros Hc Hf Hr Hd. pose proof (Rmax_l f r). pose proof (Rmax_r f r).
  destruct (slope_ln f r c (Rmax f r)) as (s & Hs & E); try lra.
  assert (0 < / Rmax f r) by (apply Rinv_0_lt_compat; lra).
  rewrite E, Rmult_comm, Rabs_mult, (Rabs_pos_eq s) by lra.
  apply Rmult_le_compat; [apply Rabs_pos|lra|exact Hd|lra].
Qed.

(** f >= r*(1 - rho), and 1/(1 - rho) <= 1 + 2*rho *)
Lemma ln_rel f r rho : 0 < r -> 0 <= rho <= 1 / 2 -> Rabs (f - r) <= rho * Rabs r ->
  Rabs (ln f - ln r) <= rho * (1 + 2 * rho).
Proof.
  intros Hr Hrho H. rewrite (Rabs_pos_eq r) in H by lra. pose proof (Rabs_le_inv _ _ H).
  apply Rle_trans with (rho * r / ((1 - rho) * r)).
  - apply ln_abs; [|lra| |exact H]; nra.
  - replace (rho * r / ((1 - rho) * r)) with (rho * / (1 - rho)) by (field; lra).
    apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with (1 - rho); [lra|]. rewrite Rinv_l by lra. nra.
Qed.

(** * EXP *)

Lemma slope_exp f r a b : a <= f <= b -> a <= r <= b ->
  exists s, exp a <= s <= exp b /\ exp f - exp r = s * (f - r).
Proof.
  intros Hf Hr. destruct (mean_value exp exp f r a b Hf Hr) as (c & Hc & E).
  { intros c _. apply derivable_pt_lim_exp. }
  exists (exp c). split; [|exact E]. split; now apply exp_le.
Qed.

(** (1 + d + d^2) * e^-d is 1 at 0 and grows on [0, 1]: its derivative is d*(1 - d)*e^-d. *)
Lemma exp_growth_small d : 0 <= d <= 1 -> exp d - 1 <= d + d * d.
Proof.
  intros Hd.
  destruct (mean_value (fun x => (1 + x + x * x) * exp (- x)) (fun x => x * (1 - x) * exp (- x)) d 0 0 1)
    as (c & Hc & E); [exact Hd|lra| |].
  { intros c _.
    replace (c * (1 - c) * exp (- c))
      with ((0 + 1 + (1 * c + c * 1)) * exp (- c) + (1 + c + c * c) * (exp (- c) * -1)) by ring.
    apply (derivable_pt_lim_mult (fun x => 1 + x + x * x) (fun x => exp (- x))).
    - apply (derivable_pt_lim_plus (fun x => 1 + x) (fun x => x * x));
        [apply (derivable_pt_lim_plus (fun _ => 1) (fun x => x))
        |apply (derivable_pt_lim_mult (fun x => x) (fun x => x))];
        apply derivable_pt_lim_const || apply derivable_pt_lim_id.
    - apply (derivable_pt_lim_comp Ropp exp); [|apply derivable_pt_lim_exp].
      apply (derivable_pt_lim_opp (fun x => x)), derivable_pt_lim_id. }
  rewrite Ropp_0, exp_0 in E.
  assert (0 <= c * (1 - c) * exp (- c) * (d - 0)).
  { pose proof (exp_pos (- c)). repeat apply Rmult_le_pos; lra. }
  assert (G : 1 <= (1 + d + d * d) * exp (- d)) by lra.
  apply Rmult_le_compat_r with (r := exp d) in G; [|apply Rlt_le, exp_pos].
  rewrite Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0 in G. lra.
Qed.

(** e^f - e^r = e^r*(e^(f - r) - 1), and 1 - e^-d <= e^d - 1 *)
Lemma exp_growth f r d : Rabs (f - r) <= d -> Rabs (exp f - exp r) <= (exp d - 1) * exp r.
Proof.
  intros H. apply Rabs_le_inv in H. pose proof (exp_pos r).
  assert (Ef : exp f = exp (f - r) * exp r) by (rewrite <- exp_plus; f_equal; ring).
  assert (exp (f - r) <= exp d) by (apply exp_le; lra).
  assert (exp (- d) <= exp (f - r)) by (apply exp_le; lra).
  assert (2 <= exp d + exp (- d)) by (pose proof (exp_ineq1_le d); pose proof (exp_ineq1_le (- d)); lra).
  rewrite Ef. apply Rabs_le. nra.
Qed.

(** g is the growth of the docs: d + d^2 if d <= 1, or e^d. *)
Lemma exp_rel f r d g : Rabs (f - r) <= d -> (d <= 1 /\ d + d * d <= g) \/ exp d <= g ->
  Rabs (exp f - exp r) <= g * Rabs (exp r).
Proof.
  intros H Hg. apply Rle_trans with (1 := exp_growth f r d H). pose proof (exp_pos r).
  rewrite Rabs_pos_eq by lra. apply Rmult_le_compat_r; [lra|].
  destruct Hg as [[Hd Hg]|Hg]; [|lra]. apply Rle_trans with (2 := Hg), exp_growth_small.
  split; [|exact Hd]. apply Rle_trans with (2 := H), Rabs_pos.
Qed.

Lemma exp_abs f r d g m : Rabs (f - r) <= d -> (d <= 1 /\ d + d * d <= g) \/ exp d <= g -> exp r <= m ->
  Rabs (exp f - exp r) <= m * g.
Proof.
  intros H Hg Hm. apply Rle_trans with (1 := exp_rel f r d g H Hg). pose proof (exp_pos r).
  rewrite Rabs_pos_eq, Rmult_comm by lra. apply Rmult_le_compat_r; [|exact Hm].
  assert (0 <= d) by (apply Rle_trans with (2 := H), Rabs_pos). pose proof (exp_pos d).
  destruct Hg; nra.
Qed.

Lemma exp_low f r g lo :
  Rabs (exp f - exp r) <= g * Rabs (exp r) -> 0 <= lo <= exp r -> lo * (1 - g) <= exp f.
Proof.
  intros H Hlo. pose proof (exp_pos f). destruct (Rle_lt_dec g 1) as [G|G].
  - now apply float_low_rel with (exp r).
  - apply Rle_trans with 0; [|lra]. nra.
Qed.

(** * MIN, MAX *)

Lemma min_abs f1 r1 d1 f2 r2 d2 : Rabs (f1 - r1) <= d1 -> Rabs (f2 - r2) <= d2 ->
  Rabs (Rmin f1 f2 - Rmin r1 r2) <= Rmax d1 d2.
Proof.
  intros H1 H2. apply Rabs_le_inv in H1, H2. pose proof (Rmax_l d1 d2). pose proof (Rmax_r d1 d2).
  apply Rabs_le. unfold Rmin. do 2 destruct Rle_dec; lra.
Qed.

Lemma max_as_min x y : Rmax x y = - Rmin (- x) (- y).
Proof. now rewrite <- Ropp_Rmax, Ropp_involutive. Qed.

Lemma max_abs f1 r1 d1 f2 r2 d2 : Rabs (f1 - r1) <= d1 -> Rabs (f2 - r2) <= d2 ->
  Rabs (Rmax f1 f2 - Rmax r1 r2) <= Rmax d1 d2.
Proof.
  intros H1 H2. rewrite (max_as_min f1), (max_as_min r1). now apply neg_abs, min_abs; apply neg_abs.
Qed.

(** rho <= 1 is needed: r - rho*|r| has to grow with r. *)
Lemma min_rel f1 r1 rho1 f2 r2 rho2 : rho1 <= 1 -> rho2 <= 1 ->
  Rabs (f1 - r1) <= rho1 * Rabs r1 -> Rabs (f2 - r2) <= rho2 * Rabs r2 ->
  Rabs (Rmin f1 f2 - Rmin r1 r2) <= Rmax rho1 rho2 * Rabs (Rmin r1 r2).
Proof.
  intros G1 G2 H1 H2. set (rho := Rmax rho1 rho2).
  assert (G : rho <= 1) by now apply Rmax_lub.
  assert (K1 : Rabs (f1 - r1) <= rho * Rabs r1).
  { apply Rle_trans with (1 := H1), Rmult_le_compat_r; [apply Rabs_pos|apply Rmax_l]. }
  assert (K2 : Rabs (f2 - r2) <= rho * Rabs r2).
  { apply Rle_trans with (1 := H2), Rmult_le_compat_r; [apply Rabs_pos|apply Rmax_r]. }
  destruct (Rle_lt_dec 0 rho) as [P|P].
  2:{ assert (Z : forall f r, Rabs (f - r) <= rho * Rabs r -> f = 0 /\ r = 0).
      { intros f r H. pose proof (Rabs_pos (f - r)). pose proof (Rabs_pos r).
        assert (E : Rabs r = 0) by nra. rewrite E in H.
        unfold Rabs in *. repeat destruct Rcase_abs; lra. }
      destruct (Z _ _ K1) as [-> ->], (Z _ _ K2) as [-> ->].
      rewrite Rmin_left, Rminus_0_r, Rabs_R0, Rmult_0_r by lra. apply Rle_refl. }
  assert (M : forall x y, x <= y -> x - rho * Rabs x <= y - rho * Rabs y).
  { intros x y Hxy. pose proof (Rabs_triang_inv y x) as T. rewrite (Rabs_pos_eq (y - x)) in T by lra.
    assert (rho * (Rabs y - Rabs x) <= rho * (y - x)) by now apply Rmult_le_compat_l.
    assert (rho * (y - x) <= 1 * (y - x)) by (apply Rmult_le_compat_r; lra). lra. }
  pose proof (Rabs_le_inv _ _ K1). pose proof (Rabs_le_inv _ _ K2).
  apply Rabs_le. unfold Rmin. destruct (Rle_dec r1 r2) as [L|L], (Rle_dec f1 f2).
  - lra.
  - specialize (M r1 r2 L). lra.
  - specialize (M r2 r1). lra.
  - lra.
Qed.

Lemma max_rel f1 r1 rho1 f2 r2 rho2 : rho1 <= 1 -> rho2 <= 1 ->
  Rabs (f1 - r1) <= rho1 * Rabs r1 -> Rabs (f2 - r2) <= rho2 * Rabs r2 ->
  Rabs (Rmax f1 f2 - Rmax r1 r2) <= Rmax rho1 rho2 * Rabs (Rmax r1 r2).
Proof.
  intros G1 G2 H1 H2. rewrite (max_as_min f1), (max_as_min r1).
  now apply neg_rel, min_rel; try apply neg_rel.
Qed.

(** * Slopes *)

Lemma slope_mul f1 r1 f2 r2 : f1 * f2 - r1 * r2 = f2 * (f1 - r1) + r1 * (f2 - r2).
Proof. ring. Qed.

Lemma slope_square f r : f * f - r * r = (f + r) * (f - r).
Proof. ring. Qed.

Lemma slope_div f1 r1 f2 r2 : f2 <> 0 -> r2 <> 0 ->
  f1 / f2 - r1 / r2 = / f2 * (f1 - r1) + - (r1 / r2 * / f2) * (f2 - r2).
Proof. intros. field. now split. Qed.

Lemma slope_abs_pos f r : 0 <= f -> 0 <= r -> Rabs f - Rabs r = 1 * (f - r).
Proof. intros. rewrite !Rabs_pos_eq by assumption. ring. Qed.

Lemma slope_abs_neg f r : f <= 0 -> r <= 0 -> Rabs f - Rabs r = -1 * (f - r).
Proof. intros. rewrite !Rabs_left1 by assumption. ring. Qed.

(** A difference y that is at most as large as x is a multiple of it. *)
Lemma ratio x y : Rabs y <= Rabs x -> exists s, -1 <= s <= 1 /\ y = s * x.
Proof.
  intros H. destruct (Req_dec x 0) as [->|Hx].
  - exists 0. rewrite Rabs_R0 in H. split; [lra|]. unfold Rabs in H. destruct Rcase_abs; lra.
  - exists (y / x). split; [|now field]. apply Rabs_le_inv. unfold Rdiv. rewrite Rabs_mult, Rabs_inv.
    apply Rmult_le_reg_r with (Rabs x); [now apply Rabs_pos_lt|].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r; [exact H|now apply Rabs_no_R0].
Qed.

Lemma slope_abs f r : exists s, -1 <= s <= 1 /\ Rabs f - Rabs r = s * (f - r).
Proof. apply ratio, Rabs_triang_inv2. Qed.

(** A number between a and b is a mean of them. *)
Lemma mean a b z : Rmin a b <= z <= Rmax a b -> exists t, 0 <= t <= 1 /\ z = t * a + (1 - t) * b.
Proof.
  intros H. destruct (Req_dec a b) as [->|N].
  - exists 0. rewrite Rmin_left, Rmax_left in H by lra. lra.
  - exists ((z - b) / (a - b)). split; [|field; lra].
    assert (I : forall n d, 0 < d -> 0 <= n <= d -> 0 <= n / d <= 1).
    { intros n d Hd Hn. split; [apply Rle_mult_inv_pos; lra|].
      apply Rmult_le_reg_r with d; [exact Hd|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    destruct (Rle_lt_dec a b).
    + rewrite Rmin_left, Rmax_right in H by lra.
      replace ((z - b) / (a - b)) with ((b - z) / (b - a)) by (field; lra). apply I; lra.
    + rewrite Rmin_right, Rmax_left in H by lra. apply I; lra.
Qed.

Lemma slope_min f1 r1 f2 r2 :
  exists t, 0 <= t <= 1 /\ Rmin f1 f2 - Rmin r1 r2 = t * (f1 - r1) + (1 - t) * (f2 - r2).
Proof. apply mean. unfold Rmin, Rmax. repeat destruct Rle_dec; lra. Qed.

Lemma slope_max f1 r1 f2 r2 :
  exists t, 0 <= t <= 1 /\ Rmax f1 f2 - Rmax r1 r2 = t * (f1 - r1) + (1 - t) * (f2 - r2).
Proof. apply mean. unfold Rmin, Rmax. repeat destruct Rle_dec; lra. Qed.

Lemma slope_clamp f r g b : exists s t, 0 <= s <= 1 /\ -1 <= t <= 1 /\
  Rmax (Rmin f g) (- g) - Rmax (Rmin r b) (- b) = s * (f - r) + t * (g - b).
Proof.
  destruct (slope_max (Rmin f g) (Rmin r b) (- g) (- b)) as (p & Hp & ->).
  destruct (slope_min f r g b) as (q & Hq & ->).
  exists (p * q), (p * (1 - q) - (1 - p)). repeat split; nra.
Qed.

Lemma slope_select (c : bool) f1 r1 f2 r2 : exists s t, 0 <= s <= 1 /\ 0 <= t <= 1 /\
  (if c then f1 else f2) - (if c then r1 else r2) = s * (f1 - r1) + t * (f2 - r2).
Proof. destruct c; [exists 1, 0|exists 0, 1]; repeat split; lra. Qed.
