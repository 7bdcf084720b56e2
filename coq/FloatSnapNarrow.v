(** Why Theorem A asks for small relative errors.

    Let [eps = 1.3], [L = 2^-44] and [B = 253]. Then [M <= 700] and [L' > 0], and the formula of Theorem A
    is a finite number. But around -640 the values of the rounded logarithm are [2^-43] apart, so that the
    values of the noise around -492 are [L] or [2 * L] apart: cells are missed. The output [narrow_e] is
    possible for the input 250 and not for [250 + 2^-44]. So it has a positive probability under the one and
    the probability 0 under the other: the loss is infinite. *)

From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require Import Lengths FloatSum FloatCell FloatNoise FloatLn FloatSnap Witness.
Open Scope R_scope.

(** The float that is nearest to 1.3. *)
Definition narrow_eps : R := IZR 5854679515581645 * bpow radix2 (-52).
Definition narrow_L : R := bpow radix2 (-44).
Definition narrow_f : R := 250.
Definition narrow_f' : R := 250 + bpow radix2 (-44).
Definition narrow_e : R := IZR (-4262722003070032) * narrow_L.

Section Narrow.

Variable LN : R -> R.
Hypothesis LN_correct : correctly_rounded_ln LN.

Let yF (u : R) : R := rnd (LN u / narrow_eps).

(** A value of the logarithm, the next one, and what they become. *)
Let t : R := IZR (-5629499534213121) * bpow radix2 (-43).
Let y : R := IZR (-8660768514174032) * bpow radix2 (-44).
Let t_next : R := IZR (-5629499534213122) * bpow radix2 (-43).
Let y_next : R := IZR (-8660768514174034) * bpow radix2 (-44).
Let u : R := IZR 7191299061754645 * bpow radix2 (-976).

Lemma u_F : F u.
Proof. apply dyadic_F; lia. Qed.

Lemma u_range : 0 < u < 1.
Proof. unfold u; split; interval with (i_prec 80). Qed.

Lemma LN_u : LN u = t.
Proof.
  rewrite LN_correct by (apply u_F || apply u_range).
  apply rnd_is; [lia | |]; change (-43 + 52)%Z with 9%Z; change (-43 + 53)%Z with 10%Z;
    change (- -43)%Z with 43%Z; unfold u; repeat split; interval with (i_prec 120).
Qed.

Lemma y_t : rnd (t / narrow_eps) = y.
Proof.
  apply rnd_is; [lia | |]; change (-44 + 52)%Z with 8%Z; change (-44 + 53)%Z with 9%Z;
    change (- -44)%Z with 44%Z; unfold t, narrow_eps; repeat split; interval with (i_prec 120).
Qed.

Lemma y_t_next : rnd (t_next / narrow_eps) = y_next.
Proof.
  apply rnd_is; [lia | |]; change (-44 + 52)%Z with 8%Z; change (-44 + 53)%Z with 9%Z;
    change (- -44)%Z with 44%Z; unfold t_next, narrow_eps; repeat split; interval with (i_prec 120).
Qed.

Lemma below_t : below t = t_next.
Proof.
  assert (Ht : bpow radix2 9 <= - t < bpow radix2 10) by (unfold t; split; interval with (i_prec 80)).
  pose proof (bpow_gt_0 radix2 9) as H9; unfold below, pred; rewrite succ_eq_pos by lra.
  rewrite ulp_neq_0 by lra; unfold cexp.
  rewrite (mag_unique radix2 (- t) 10) by (rewrite Rabs_pos_eq; [exact Ht | lra]).
  change (fexp 10) with (-43)%Z; unfold t, t_next; lra.
Qed.

(** No value of the noise is between [y_next] and [y]. *)
Lemma noise_gap v : F v -> 0 < v < 1 -> y <= yF v \/ yF v <= y_next.
Proof.
  intros Fv Hv; unfold yF; rewrite <- y_t, <- y_t_next.
  assert (He : 0 < / narrow_eps) by (unfold narrow_eps; interval with (i_prec 80)).
  assert (FL : F (LN v)) by (rewrite LN_correct by assumption; apply rnd_F).
  destruct (Rle_or_lt t (LN v)) as [H|H]; [left | right]; apply rnd_le, Rmult_le_compat_r; try lra.
  rewrite <- below_t; apply pred_ge_gt; [apply fexp_valid | exact FL | apply dyadic_F; lia | exact H].
Qed.

Lemma noise_nonpos v : F v -> 0 < v < 1 -> yF v <= 0.
Proof.
  intros Fv Hv; assert (He : 0 < narrow_eps <= bpow radix2 900).
  { unfold narrow_eps; split; [interval with (i_prec 80) |].
    apply Rle_trans with (bpow radix2 2); [interval with (i_prec 80) | apply bpow_le; lia]. }
  left; apply (noise_neg narrow_eps (bpow radix2 (-52))); try assumption; [apply He | |].
  - split; interval with (i_prec 80).
  - apply (divided_noise LN LN_correct narrow_eps He).
Qed.

(** The output is a multiple of [L] near [250 + y]. *)
Lemma narrow_output w :
  F w ->
  (output ties_up narrow_L 253 w = narrow_e <-> narrow_e - narrow_L / 2 <= w < narrow_e + narrow_L / 2).
Proof.
  intros Fw; assert (HL : 0 < narrow_L) by apply bpow_gt_0.
  unfold output, narrow_e; set (n := (-4262722003070032)%Z).
  assert (Hn : - 253 < IZR n * narrow_L < 253) by (unfold n, narrow_L; split; interval with (i_prec 80)).
  assert (GE : forall m, (m <= Znearest ties_up (w / narrow_L))%Z <-> (IZR m - / 2) * narrow_L <= w).
  { intros m; rewrite Znearest_ge; unfold ties_up.
    assert (E : w = w / narrow_L * narrow_L) by (field; lra).
    split; intros A.
    - rewrite E; apply Rmult_le_compat_r; lra.
    - rewrite E in A; apply Rmult_le_reg_r in A; [| exact HL].
      destruct A as [A|A]; [now left | right; now split]. }
  pose proof (GE n) as G1; pose proof (GE (n + 1)%Z) as G2; rewrite plus_IZR in G2.
  set (q := Znearest ties_up (w / narrow_L)) in *.
  assert (Q : IZR q * narrow_L = IZR n * narrow_L <-> q = n).
  { split; [intros A; apply Rmult_eq_reg_r in A; [now apply eq_IZR | lra] | now intros ->]. }
  assert (C : clamp 253 (round_grid ties_up narrow_L w) = IZR n * narrow_L <->
              IZR q * narrow_L = IZR n * narrow_L).
  { unfold round_grid; fold q; split; intros A.
    - destruct (clamp_cases 253 (IZR q * narrow_L) ltac:(lra)) as [[_ E]|[[_ E]|[_ E]]]; lra.
    - rewrite A; apply clamp_id; lra. }
  rewrite C, Q; split.
  - intros E; assert (n <= q)%Z as A by lia; assert (~ (n + 1 <= q)%Z) as A' by lia.
    rewrite G1 in A; rewrite G2 in A'; lra.
  - intros A; assert (n <= q)%Z by (apply G1; lra); assert (~ (n + 1 <= q)%Z) by (rewrite G2; lra); lia.
Qed.

(** The input [f'] never gives the output. *)
Lemma never : ~ possible (snapF LN narrow_eps narrow_L 253 narrow_f') narrow_e.
Proof.
  intros (v0 & s & (Fv & Hv & Hs) & H).
  apply narrow_output in H; [| apply rnd_F]; unfold textbook in H.
  pose proof (noise_gap _ Fv Hv) as G; pose proof (noise_nonpos _ Fv Hv) as Hy.
  fold (yF v0) in H; set (v := yF v0) in *.
  rewrite clamp_id in H by (unfold narrow_f'; simpl bpow; lra).
  assert (FE : forall i, (Z.abs i < 2 ^ 10)%Z -> F (narrow_e + IZR i * narrow_L)).
  { intros i Hi; unfold narrow_e; rewrite <- Rmult_plus_distr_r, <- plus_IZR; apply dyadic_F; lia. }
  assert (Ey : narrow_f' + y = narrow_e + 1 * narrow_L).
  { unfold narrow_f', narrow_e, y, narrow_L; simpl bpow; lra. }
  assert (Ey' : narrow_f' + y_next = narrow_e + -1 * narrow_L).
  { unfold narrow_f', narrow_e, y_next, narrow_L; simpl bpow; lra. }
  assert (HL : 0 < narrow_L) by apply bpow_gt_0.
  destruct Hs as [-> | ->]; [destruct G as [G|G] |].
  - assert (narrow_e + 1 * narrow_L <= rnd (narrow_f' + 1 * v)); [| lra].
    apply round_ge_generic; [apply fexp_valid | apply valid_rnd_N | apply FE; lia | lra].
  - assert (rnd (narrow_f' + 1 * v) <= narrow_e + -1 * narrow_L); [| lra].
    apply round_le_generic; [apply fexp_valid | apply valid_rnd_N | apply FE; lia | lra].
  - assert (0 <= rnd (narrow_f' + -1 * v)).
    { apply round_ge_generic; [apply fexp_valid | apply valid_rnd_N | apply generic_format_0 |].
      unfold narrow_f'; simpl bpow; lra. }
    unfold narrow_e, narrow_L in H; simpl bpow in H; lra.
Qed.

(** The input [f] gives it if the sampler draws [u] and the sign 1. *)
Lemma sometimes : possible (snapF LN narrow_eps narrow_L 253 narrow_f) narrow_e.
Proof.
  exists u, 1; split; [split; [apply u_F | split; [apply u_range | now left]] |].
  apply narrow_output; [apply rnd_F |]; unfold textbook; rewrite LN_u, y_t.
  rewrite clamp_id by (unfold narrow_f; lra).
  assert (E : narrow_f + 1 * y = narrow_e) by (unfold narrow_f, narrow_e, y, narrow_L; simpl bpow; lra).
  assert (HL : 0 < narrow_L) by apply bpow_gt_0.
  replace (rnd (narrow_f + 1 * y)) with narrow_e; [lra |].
  rewrite E; symmetry; apply rnd_id, dyadic_F; lia.
Qed.

(** The output [narrow_e] has a positive probability for [f], and the probability 0 for [f']. *)
Theorem narrow_cells_lose_everything :
  exists p, 0 < p /\
    has_prob (snap ties_up (fun u => rnd (LN u / narrow_eps)) narrow_L 253 narrow_f) (Some narrow_e) p /\
    has_prob (snap ties_up (fun u => rnd (LN u / narrow_eps)) narrow_L 253 narrow_f') (Some narrow_e) 0.
Proof.
  rewrite !snap_snapF; apply possible_infinite_loss; [| exact sometimes | exact never].
  apply unclamped_consecutive; [exact LN_correct | | apply bpow_gt_0].
  unfold narrow_eps; interval with (i_prec 80).
Qed.

(** So no factor covers the ratio. *)
Corollary narrow_cells_no_factor c :
  ~ ratio_at_most c (snap ties_up (fun u => rnd (LN u / narrow_eps)) narrow_L 253 narrow_f)
      (snap ties_up (fun u => rnd (LN u / narrow_eps)) narrow_L 253 narrow_f') narrow_e.
Proof. exact (infinite_loss_ratio _ _ _ narrow_cells_lose_everything c). Qed.

End Narrow.

(** All hypotheses of Theorem A but the last hold. *)
Lemma narrow_hypotheses :
  let L := narrow_L in
  narrow_eps * (2 * 253 + L / 2) <= 700 /\ 0 < L - bpow radix2 (-52) * (253 + L) /\
  F 253 /\ F narrow_f /\ F narrow_f'.
Proof.
  cbv zeta; unfold narrow_L, narrow_f, narrow_f', narrow_eps.
  split; [interval with (i_prec 80) |]; split; [interval with (i_prec 160) |].
  split; [| split].
  - replace 253 with (IZR 253 * bpow radix2 0) by (simpl bpow; lra); apply dyadic_F; lia.
  - replace 250 with (IZR 250 * bpow radix2 0) by (simpl bpow; lra); apply dyadic_F; lia.
  - replace (250 + bpow radix2 (-44)) with (IZR (250 * 2 ^ 44 + 1) * bpow radix2 (-44)).
    + apply dyadic_F; lia.
    + change (250 * 2 ^ 44 + 1)%Z with 4398046511104001%Z; simpl bpow; lra.
Qed.
