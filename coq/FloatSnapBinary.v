(** [snap] is what binary64 computes.

    [FloatSnap] speaks of real numbers in the format of binary64, without its largest number. Here are the
    operations themselves, with infinities and NaN, as Flocq defines them: with [eps] between [2^-500] and
    [2^500], or [lambda <= 2^500], and [B <= 2^1000] every intermediate result is finite and is the real
    number that [snap] has in its place, because noise is at most [745 / eps]. The result is a float, so that the last clamp and the
    multiple of [L] are exact. *)

From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core BinarySingleNaN.
From Interval Require Import Tactic.
From Lastbit Require RealRules.
From Lastbit Require Import FloatSum FloatNoise FloatLn FloatSnap.
Open Scope R_scope.

Notation binary64 := (binary_float 53 1024).

#[local] Instance prec_lt_emax : Prec_lt_emax 53 1024 := eq_refl.

Lemma binary64_F (x : binary64) : F (B2R x).
Proof. apply (generic_format_B2R 53 1024 x). Qed.

(** A number is at most [2^e] after rounding if it was before. *)
Lemma rnd_abs_le x e : (-1074 <= e)%Z -> Rabs x <= bpow radix2 e -> Rabs (rnd x) <= bpow radix2 e.
Proof.
  intros He Hx; apply abs_round_le_generic; [apply fexp_valid | apply valid_rnd_N | | exact Hx].
  apply generic_format_bpow; unfold fexp, FLT_exp; lia.
Qed.

Lemma no_overflow x e :
  (-1074 <= e < 1024)%Z -> Rabs x <= bpow radix2 e ->
  Rlt_bool (Rabs (round radix2 (SpecFloat.fexp 53 1024) (round_mode mode_NE) x)) (bpow radix2 1024) = true.
Proof.
  intros He Hx; apply Rlt_bool_true, Rle_lt_trans with (bpow radix2 e); [| apply bpow_lt; lia].
  apply (rnd_abs_le x e); [lia | exact Hx].
Qed.

Section Sum.

Variable LN : binary64 -> binary64.
Hypothesis LN_correct : forall u, is_finite u = true -> 0 < B2R u < 1 ->
  is_finite (LN u) = true /\ B2R (LN u) = rnd (ln (B2R u)).

(** [y = LN(u) / eps], or [y = lambda * LN(u)]. *)
Definition noise64 (eps u : binary64) : binary64 := Bdiv mode_NE (LN u) eps.
Definition scaled64 (lambda u : binary64) : binary64 := Bmult mode_NE lambda (LN u).
(** [x + s * y]. *)
Definition sum64 (x s y : binary64) : binary64 := Bplus mode_NE x (Bmult mode_NE s y).

Lemma LN_bound (u : binary64) : is_finite u = true -> 0 < B2R u < 1 -> Rabs (rnd (ln (B2R u))) <= bpow radix2 10.
Proof.
  intros Fu Hu; apply rnd_abs_le; [lia |].
  assert (tiny <= B2R u) by (apply tiny_le; [apply binary64_F | apply Hu]).
  assert (ln tiny <= ln (B2R u)) by (apply RealRules.ln_le; [apply tiny_pos | assumption]).
  assert (-1000 <= ln tiny) by (unfold tiny; interval with (i_prec 80)).
  assert (ln (B2R u) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  rewrite Rabs_left by assumption; simpl bpow; lra.
Qed.

Lemma noise64_correct eps u :
  bpow radix2 (-500) <= B2R eps <= bpow radix2 500 -> is_finite u = true -> 0 < B2R u < 1 ->
  is_finite (noise64 eps u) = true /\ B2R (noise64 eps u) = rnd (rnd (ln (B2R u)) / B2R eps) /\
  Rabs (B2R (noise64 eps u)) <= bpow radix2 510.
Proof.
  intros He Fu Hu; destruct (LN_correct u Fu Hu) as [FL EL].
  pose proof (bpow_gt_0 radix2 (-500)) as H0; pose proof (LN_bound u Fu Hu) as Hl.
  assert (Hq : Rabs (B2R (LN u) / B2R eps) <= bpow radix2 510).
  { rewrite EL; unfold Rdiv; rewrite Rabs_mult, (Rabs_pos_eq (/ B2R eps))
      by (left; apply Rinv_0_lt_compat; lra).
    change 510%Z with (10 + 500)%Z; rewrite bpow_plus; change 500%Z with (- (-500))%Z; rewrite bpow_opp.
    apply Rmult_le_compat; [apply Rabs_pos | | exact Hl | apply Rinv_le; lra].
    left; apply Rinv_0_lt_compat; lra. }
  pose proof (Bdiv_correct 53 1024 _ _ mode_NE (LN u) eps ltac:(lra)) as C.
  rewrite (no_overflow _ 510) in C by (lia || exact Hq).
  destruct C as (E & Fi & _); unfold noise64; rewrite Fi, E, EL in *.
  split; [exact FL | split; [reflexivity |]].
  apply (rnd_abs_le _ 510); [lia | exact Hq].
Qed.

(** The two factors of a product in either order. *)
Lemma product64_correct (a b : binary64) :
  is_finite a = true -> is_finite b = true -> Rabs (B2R a * B2R b) <= bpow radix2 510 ->
  is_finite (Bmult mode_NE a b) = true /\ B2R (Bmult mode_NE a b) = rnd (B2R a * B2R b) /\
  Rabs (B2R (Bmult mode_NE a b)) <= bpow radix2 510.
Proof.
  intros Fa Fb Hq; pose proof (Bmult_correct 53 1024 _ _ mode_NE a b) as C.
  rewrite (no_overflow _ 510) in C by (lia || exact Hq).
  destruct C as (E & Fi & _); rewrite Fi, E, Fa, Fb in *.
  split; [reflexivity | split; [reflexivity |]].
  apply (rnd_abs_le _ 510); [lia | exact Hq].
Qed.

Lemma scaled_bound (lambda u : binary64) :
  is_finite lambda = true -> 0 <= B2R lambda <= bpow radix2 500 -> is_finite u = true -> 0 < B2R u < 1 ->
  Rabs (B2R lambda * B2R (LN u)) <= bpow radix2 510.
Proof.
  intros Fl Hl Fu Hu; destruct (LN_correct u Fu Hu) as [_ ->].
  rewrite Rabs_mult, (Rabs_pos_eq (B2R lambda)) by lra.
  change 510%Z with (500 + 10)%Z; rewrite bpow_plus.
  apply Rmult_le_compat; [lra | apply Rabs_pos | lra | now apply LN_bound].
Qed.

Lemma scaled64_correct (lambda u : binary64) :
  is_finite lambda = true -> 0 <= B2R lambda <= bpow radix2 500 -> is_finite u = true -> 0 < B2R u < 1 ->
  is_finite (scaled64 lambda u) = true /\ B2R (scaled64 lambda u) = rnd (B2R lambda * rnd (ln (B2R u))) /\
  Rabs (B2R (scaled64 lambda u)) <= bpow radix2 510.
Proof.
  intros Fl Hl Fu Hu; destruct (LN_correct u Fu Hu) as [FL EL]; rewrite <- EL.
  apply product64_correct; [exact Fl | exact FL | now apply scaled_bound].
Qed.

Lemma sign_times s y :
  s = 1 \/ s = -1 -> F y -> rnd (s * y) = s * y /\ Rabs (s * y) = Rabs y.
Proof.
  intros Hs Hy; split.
  - apply rnd_id; destruct Hs as [-> | ->]; [now rewrite Rmult_1_l |].
    replace (-1 * y) with (- y) by ring; now apply generic_format_opp.
  - rewrite Rabs_mult; destruct Hs as [-> | ->]; [rewrite Rabs_R1 | rewrite (Rabs_left (-1)) by lra]; ring.
Qed.

Lemma plus64_correct (a b : binary64) :
  is_finite a = true -> is_finite b = true -> Rabs (B2R a + B2R b) <= bpow radix2 1001 ->
  is_finite (Bplus mode_NE a b) = true /\ B2R (Bplus mode_NE a b) = rnd (B2R a + B2R b).
Proof.
  intros Fa Fb H; pose proof (Bplus_correct 53 1024 _ _ mode_NE a b Fa Fb) as C.
  rewrite (no_overflow _ 1001) in C by (lia || exact H); destruct C as (E & Fi & _); split; assumption.
Qed.

Lemma sum_bound x y :
  Rabs x <= bpow radix2 1000 -> Rabs y <= bpow radix2 510 -> Rabs (x + y) <= bpow radix2 1001.
Proof.
  intros Hx Hy; assert (bpow radix2 510 <= bpow radix2 1000) by (apply bpow_le; lia).
  change 1001%Z with (1 + 1000)%Z; rewrite bpow_plus; change (bpow radix2 1) with 2.
  pose proof (Rabs_triang x y); lra.
Qed.

Lemma sum64_correct x s y :
  is_finite x = true -> is_finite s = true -> is_finite y = true ->
  B2R s = 1 \/ B2R s = -1 -> Rabs (B2R x) <= bpow radix2 1000 -> Rabs (B2R y) <= bpow radix2 510 ->
  is_finite (sum64 x s y) = true /\ B2R (sum64 x s y) = rnd (B2R x + B2R s * B2R y).
Proof.
  intros Fx Fs Fy Hs Hx Hy; destruct (sign_times _ _ Hs (binary64_F y)) as [Es As].
  destruct (product64_correct s y Fs Fy) as (Fi & E & _); [now rewrite As |]; rewrite Es in E.
  unfold sum64; rewrite <- E; apply plus64_correct; [exact Fx | exact Fi |].
  apply sum_bound; [exact Hx | now rewrite E, As].
Qed.

(** The whole mechanism, for any noise [y] that is not too large: [c] is the clamped input. *)
Lemma snap_of_noise (choice : Z -> bool) (yF : R -> R) (c s y : binary64) (B L f U : R) :
  0 < B <= bpow radix2 1000 -> is_finite c = true -> B2R c = clamp B f -> tiny <= U < 1 ->
  is_finite y = true -> B2R y = yF (float_below U) -> Rabs (B2R y) <= bpow radix2 510 ->
  is_finite s = true -> B2R s = 1 \/ B2R s = -1 ->
  is_finite (sum64 c s y) = true /\
  snap choice yF L B f U (B2R s) = Some (clamp B (round_grid choice L (B2R (sum64 c s y)))).
Proof.
  intros HB Fc Ec HU Fy Ey Hy Fs Hs.
  pose proof (clamp_range B f (proj1 HB)) as Hc.
  destruct (sum64_correct c s y Fc Fs Fy Hs) as [Fw Ew]; [| exact Hy |].
  { rewrite Ec; apply Rabs_le; lra. }
  split; [exact Fw |]; rewrite Ew, Ec, Ey; unfold snap.
  destruct (Rlt_dec U tiny); [lra | reflexivity].
Qed.

(** [u] is the float that the sampler draws. *)
Theorem snap_in_binary64 (choice : Z -> bool) (eps c u s : binary64) (B L f U : R) :
  bpow radix2 (-500) <= B2R eps <= bpow radix2 500 -> 0 < B <= bpow radix2 1000 ->
  is_finite c = true -> B2R c = clamp B f ->
  tiny <= U < 1 -> is_finite u = true -> B2R u = float_below U ->
  is_finite s = true -> B2R s = 1 \/ B2R s = -1 ->
  is_finite (sum64 c s (noise64 eps u)) = true /\
  snap choice (fun u => rnd (rnd (ln u) / B2R eps)) L B f U (B2R s)
  = Some (clamp B (round_grid choice L (B2R (sum64 c s (noise64 eps u))))).
Proof.
  intros He HB Fc Ec HU Fu Eu Fs Hs.
  destruct (float_below_spec U HU) as (_ & Hu & _); rewrite <- Eu in Hu.
  destruct (noise64_correct eps u He Fu Hu) as (Fy & Ey & Hy).
  apply snap_of_noise; try assumption; now rewrite Ey, Eu.
Qed.

(** The same with a product. *)
Theorem snap_scaled_in_binary64 (choice : Z -> bool) (lambda c u s : binary64) (B L f U : R) :
  is_finite lambda = true -> 0 <= B2R lambda <= bpow radix2 500 -> 0 < B <= bpow radix2 1000 ->
  is_finite c = true -> B2R c = clamp B f ->
  tiny <= U < 1 -> is_finite u = true -> B2R u = float_below U ->
  is_finite s = true -> B2R s = 1 \/ B2R s = -1 ->
  is_finite (sum64 c s (scaled64 lambda u)) = true /\
  snap choice (fun u => rnd (B2R lambda * rnd (ln u))) L B f U (B2R s)
  = Some (clamp B (round_grid choice L (B2R (sum64 c s (scaled64 lambda u))))).
Proof.
  intros Fl Hl HB Fc Ec HU Fu Eu Fs Hs.
  destruct (float_below_spec U HU) as (_ & Hu & _); rewrite <- Eu in Hu.
  destruct (scaled64_correct lambda u Fl Hl Fu Hu) as (Fy & Ey & Hy).
  apply snap_of_noise; try assumption; now rewrite Ey, Eu.
Qed.

(** Results are floats. *)
Theorem result_F (choice : Z -> bool) (B w : R) (k : Z) :
  0 < B -> F B -> (-1000 <= k)%Z -> B <= bpow radix2 52 * bpow radix2 k ->
  F (clamp B (round_grid choice (bpow radix2 k) w)).
Proof.
  intros HB FB Hk HBk.
  destruct (clamp_cases B (round_grid choice (bpow radix2 k) w) HB) as [[_ ->]|[[_ ->]|[H ->]]].
  - now apply generic_format_opp.
  - exact FB.
  - unfold round_grid in *; set (n := Znearest choice (w / bpow radix2 k)) in *.
    apply generic_format_FLT; exists (Float radix2 n k); cbn [Fnum Fexp]; [reflexivity | | lia].
    apply lt_IZR; rewrite abs_IZR.
    apply Rlt_trans with (bpow radix2 52); [| apply (IZR_lt (2 ^ 52) (2 ^ 53)); reflexivity].
    apply Rmult_lt_reg_r with (bpow radix2 k); [apply bpow_gt_0 |].
    rewrite <- (Rabs_pos_eq (bpow radix2 k)) at 1 by apply bpow_ge_0.
    rewrite <- Rabs_mult; apply Rlt_le_trans with (2 := HBk), Rabs_def1; lra.
Qed.

End Sum.
