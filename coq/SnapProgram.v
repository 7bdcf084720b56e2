(** Snapping as a program: what the float reading of a program in the syntax of [Program] releases, and that
    it is [snap].

    [loss_bound] is what a certificate of a loss states. It is about the program, given as data, as binary64
    runs it: with every library whose logarithm is correctly rounded on (0, 1) and whose rounding to a grid
    is exact, the result is finite, and no output is more than [exp loss] times as probable for one input as
    for another at most [Delta] away. [program_loss] derives it from the same of [snap], for the programs

        clamp (round (clamp f B + s * y) to a multiple of 2^k) B

    with the operands of [+] and [*] in either order, and [y] a [noise_form]. *)
From Coq Require Import Reals ZArith Lra Lia List.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Lengths Program Libm FloatSum FloatNoise FloatLn FloatSnap FloatSnapBinary.
From Lastbit Require RulesExact.
Open Scope R_scope.

Notation float64 := (binary_float 53 1024).

#[local] Instance prec_lt_emax : Prec_lt_emax 53 1024 := eq_refl.

(** * What is stated *)

(** What is asked of a library. [exp] does not come into it. *)
Definition correct_ln_and_grid (lib : libm 53 1024) : Prop :=
  (forall u, is_finite u = true -> 0 < B2R u < 1 -> accurate CorrectlyRounded (flln lib u) (ln (B2R u))) /\
  (forall k t x, is_finite x = true -> (-1074 <= k)%Z ->
    Rabs (to_grid k t (B2R x)) <= bpow radix2 1022 ->
    is_finite (flgrid lib k t x) = true /\ B2R (flgrid lib k t x) = to_grid k t (B2R x)).

(** What the program gives for the input [f]: [u] is the float below [U], which is uniform on (0, 1), and [s]
    is the sign. [inputs f u s] are the program's inputs, in their order. [None]: to be drawn again. *)
Definition released (lib : libm 53 1024) (p : program) (result : positive)
  (inputs : float64 -> float64 -> float64 -> list float64) (f : float64) (U s : R) : option R :=
  if Rlt_dec U tiny then None
  else Some (B2R (float_value lib p result (inputs f (nearest_float (float_below U)) (nearest_float s)))).

Definition loss_bound (lib : libm 53 1024) (p : program) (result : positive)
  (inputs : float64 -> float64 -> float64 -> list float64) (Delta loss : R) : Prop :=
  (forall f u s : float64, is_finite f = true -> is_finite u = true -> 0 < B2R u < 1 ->
    is_finite s = true -> B2R s = 1 \/ B2R s = -1 ->
    is_finite (float_value lib p result (inputs f u s)) = true) /\
  (forall f f' : float64, is_finite f = true -> is_finite f' = true -> Rabs (B2R f - B2R f') <= Delta ->
    forall e, ratio_at_most (exp loss) (released lib p result inputs f) (released lib p result inputs f') e).

(** What is asked can be had. *)
Lemma meets_correct lib for_exp : meets lib CorrectlyRounded for_exp -> correct_ln_and_grid lib.
Proof.
  intros [L _ _ G]; split.
  - intros u Fu Hu; apply L; [exact Fu | apply Hu].
  - intros k t x Fx Hk Hx; apply G; [exact Fx | exact Hk | exact Hx].
Qed.

Theorem some_library_is_correct : exists lib : libm 53 1024, correct_ln_and_grid lib.
Proof.
  exists nearest_lib; apply (meets_correct _ CorrectlyRounded), nearest_meets; [lia | exact I | exact I].
Qed.

(** * The programs *)

(** [m * 2^e] has the digits of a double. *)
Definition small (m e : Z) : Prop := (Z.abs m < 2 ^ 53)%Z /\ (-1074 <= e)%Z.

Definition value (m e : Z) : R := IZR m * bpow radix2 e.

(** How [y] is made of [LN u]: divided by [eps = m * 2^e], multiplied by [lambda = m * 2^e] from the left or
    from the right, or as it is. *)
Inductive noise_form := Divided (m e : Z) | Scaled (m e : Z) | ScaledRight (m e : Z) | Plain.

Definition noiseF (lib : libm 53 1024) (form : noise_form) (u : float64) : float64 := match form with
  | Divided m e => Bdiv mode_NE (flln lib u) (of_dyadic m e)
  | Scaled m e => Bmult mode_NE (of_dyadic m e) (flln lib u)
  | ScaledRight m e => Bmult mode_NE (flln lib u) (of_dyadic m e)
  | Plain => flln lib u
  end.

Definition noiseR (form : noise_form) (LN : R -> R) (u : R) : R := match form with
  | Divided m e => rnd (LN u / value m e)
  | Scaled m e | ScaledRight m e => rnd (value m e * LN u)
  | Plain => rnd (value 1 0 * LN u)
  end.

Definition form_in_range (form : noise_form) : Prop := match form with
  | Divided m e => small m e /\ bpow radix2 (-500) <= value m e <= bpow radix2 500
  | Scaled m e | ScaledRight m e => small m e /\ 0 <= value m e <= bpow radix2 500
  | Plain => True
  end.

(** [x + s * y], the operands of either operation in either order. *)
Definition noisyF (swap_sum swap_sign : bool) (x s y : float64) : float64 :=
  let n := if swap_sign then Bmult mode_NE y s else Bmult mode_NE s y in
  if swap_sum then Bplus mode_NE n x else Bplus mode_NE x n.

Definition snapF (lib : libm 53 1024) (form : noise_form) (swap_sum swap_sign : bool) (k : Z) (t : tie)
  (B f u s : float64) : float64 :=
  clampF (flgrid lib k t (noisyF swap_sum swap_sign (clampF f B) s (noiseF lib form u))) B.

(** * Their values *)

Lemma nearest_F v : F v -> Rabs v <= bpow radix2 1022 ->
  is_finite (nearest_float v : float64) = true /\ B2R (nearest_float v : float64) = v.
Proof.
  intros Fv Hv; destruct (nearest_float_ok (prec := 53) (emax := 1024) v Hv) as [Fi E].
  split; [exact Fi |]; rewrite E; apply (rnd_id v Fv).
Qed.

Lemma of_dyadic_value m e : small m e -> 0 <= value m e <= bpow radix2 1000 ->
  is_finite (of_dyadic m e : float64) = true /\ B2R (of_dyadic m e : float64) = value m e.
Proof.
  intros [Hm He] Hv; pose proof (dyadic_F m e Hm He) as HF.
  pose proof (binary_normalize_correct 53 1024 eq_refl eq_refl mode_NE m e false) as C; cbv zeta in C.
  change (F2R (Defs.Float radix2 m e)) with (value m e) in C.
  change (round radix2 (SpecFloat.fexp 53 1024) (round_mode mode_NE)) with rnd in C.
  rewrite (rnd_id (value m e) HF), Rlt_bool_true in C.
  - destruct C as (E & Fi & _); split; assumption.
  - rewrite Rabs_pos_eq by apply Hv; apply Rle_lt_trans with (1 := proj2 Hv), bpow_lt; lia.
Qed.

(** A parameter. *)
Lemma parameter_value m e : small m e -> 0 <= value m e <= bpow radix2 500 ->
  is_finite (of_dyadic m e : float64) = true /\ B2R (of_dyadic m e : float64) = value m e.
Proof.
  intros Hs Hv; apply of_dyadic_value; [exact Hs |]; split; [apply Hv |].
  apply Rle_trans with (1 := proj2 Hv), bpow_le; lia.
Qed.

Lemma clampF_value (f B : float64) : is_finite f = true -> is_finite B = true ->
  is_finite (clampF f B) = true /\ B2R (clampF f B) = clamp (B2R B) (B2R f).
Proof.
  intros Ff FB; split; [| exact (RulesExact.clampF_exact f B Ff FB)].
  destruct (RulesExact.minF_exact f B Ff FB) as [FM _].
  apply RulesExact.maxF_exact; [exact FM | now rewrite is_finite_Bopp].
Qed.

Lemma to_grid_round k t x : to_grid k t x = round_grid (tie_up t) (bpow radix2 k) x.
Proof.
  unfold to_grid, round_grid, round, F2R, scaled_mantissa, cexp, FIX_exp; cbn [Fnum Fexp].
  unfold Rdiv; now rewrite bpow_opp.
Qed.

Lemma grid_bound k t x : (k <= 1000)%Z -> Rabs x <= bpow radix2 1001 ->
  Rabs (to_grid k t x) <= bpow radix2 1022.
Proof.
  intros Hk Hx; pose proof (bpow_gt_0 radix2 k) as H0; rewrite to_grid_round; unfold round_grid.
  pose proof (Znearest_half (tie_up t) (x / bpow radix2 k)) as H.
  set (n := IZR (Znearest (tie_up t) (x / bpow radix2 k))) in *.
  assert (E : Rabs (x - n * bpow radix2 k) <= bpow radix2 k).
  { replace (x - n * bpow radix2 k) with ((x / bpow radix2 k - n) * bpow radix2 k) by (field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (bpow radix2 k)) by lra.
    apply Rle_trans with (/ 2 * bpow radix2 k); [apply Rmult_le_compat_r; lra | lra]. }
  assert (bpow radix2 k <= bpow radix2 1001) by (apply bpow_le; lia).
  assert (2 * bpow radix2 1001 <= bpow radix2 1022).
  { change 2 with (bpow radix2 1); rewrite <- bpow_plus; apply bpow_le; lia. }
  pose proof (Rabs_triang_inv (n * bpow radix2 k) x).
  rewrite (Rabs_minus_sym (n * bpow radix2 k) x) in *; lra.
Qed.

Section Library.

Variable lib : libm 53 1024.
Hypothesis correct : correct_ln_and_grid lib.

Lemma ln_correct u : is_finite u = true -> 0 < B2R u < 1 ->
  is_finite (flln lib u) = true /\ B2R (flln lib u) = rnd (ln (B2R u)).
Proof. exact (proj1 correct u). Qed.

Lemma noiseF_value form u : form_in_range form -> is_finite u = true -> 0 < B2R u < 1 ->
  is_finite (noiseF lib form u) = true /\
  B2R (noiseF lib form u) = noiseR form (fun v => rnd (ln v)) (B2R u) /\
  Rabs (B2R (noiseF lib form u)) <= bpow radix2 510.
Proof.
  intros Hf Fu Hu; destruct form as [m e|m e|m e|]; cbn [form_in_range noiseF noiseR] in *.
  - destruct Hf as [Hs Hr]; pose proof (bpow_gt_0 radix2 (-500)).
    destruct (parameter_value m e Hs) as [_ E]; [lra |]; rewrite <- E in *.
    exact (noise64_correct (flln lib) ln_correct _ u Hr Fu Hu).
  - destruct Hf as [Hs Hr], (parameter_value m e Hs Hr) as [Fl E]; rewrite <- E in *.
    exact (scaled64_correct (flln lib) ln_correct _ u Fl Hr Fu Hu).
  - destruct Hf as [Hs Hr], (parameter_value m e Hs Hr) as [Fl E]; rewrite <- E in *.
    destruct (ln_correct u Fu Hu) as [FL EL]; rewrite <- EL, (Rmult_comm (B2R (of_dyadic m e))).
    apply product64_correct; [exact FL | exact Fl |].
    rewrite Rmult_comm; exact (scaled_bound (flln lib) ln_correct _ u Fl Hr Fu Hu).
  - destruct (ln_correct u Fu Hu) as [FL EL].
    replace (value 1 0) with 1 by (unfold value; simpl bpow; ring); rewrite Rmult_1_l, EL.
    split; [exact FL | split; [symmetry; apply rnd_id, rnd_F |]].
    apply Rle_trans with (bpow radix2 10); [now apply LN_bound | apply bpow_le; lia].
Qed.

Lemma noisyF_value swap_sum swap_sign (x s y : float64) :
  is_finite x = true -> is_finite s = true -> is_finite y = true ->
  B2R s = 1 \/ B2R s = -1 -> Rabs (B2R x) <= bpow radix2 1000 -> Rabs (B2R y) <= bpow radix2 510 ->
  is_finite (noisyF swap_sum swap_sign x s y) = true /\
  B2R (noisyF swap_sum swap_sign x s y) = rnd (B2R x + B2R s * B2R y) /\
  Rabs (B2R (noisyF swap_sum swap_sign x s y)) <= bpow radix2 1001.
Proof.
  intros Fx Fs Fy Hs Hx Hy; destruct (sign_times _ _ Hs (binary64_F y)) as [Es As].
  set (n := if swap_sign then Bmult mode_NE y s else Bmult mode_NE s y).
  assert (Hn : is_finite n = true /\ B2R n = B2R s * B2R y).
  { unfold n; destruct swap_sign.
    - destruct (product64_correct y s Fy Fs) as (Fi & E & _); [rewrite Rmult_comm, As; exact Hy |].
      rewrite Rmult_comm, Es in E; split; assumption.
    - destruct (product64_correct s y Fs Fy) as (Fi & E & _); [now rewrite As |].
      rewrite Es in E; split; assumption. }
  destruct Hn as [Fn En]; assert (Hb : Rabs (B2R x + B2R n) <= bpow radix2 1001).
  { apply sum_bound; [exact Hx | now rewrite En, As]. }
  assert (Hw : is_finite (noisyF swap_sum swap_sign x s y) = true /\
               B2R (noisyF swap_sum swap_sign x s y) = rnd (B2R x + B2R n)).
  { unfold noisyF; fold n; destruct swap_sum.
    - rewrite (Rplus_comm (B2R x)); apply plus64_correct; [exact Fn | exact Fx |].
      now rewrite Rplus_comm.
    - now apply plus64_correct. }
  destruct Hw as [Fw Ew]; split; [exact Fw |]; rewrite Ew, En in *; split; [reflexivity |].
  apply rnd_abs_le; [lia | exact Hb].
Qed.

(** The program's value, for every double [f], every double [u] of (0, 1) and each sign. *)
Theorem snapF_value form swap_sum swap_sign k t (B f u s : float64) :
  form_in_range form -> is_finite B = true -> 0 < B2R B <= bpow radix2 1000 -> (-1074 <= k <= 1000)%Z ->
  is_finite f = true -> is_finite u = true -> 0 < B2R u < 1 ->
  is_finite s = true -> B2R s = 1 \/ B2R s = -1 ->
  is_finite (snapF lib form swap_sum swap_sign k t B f u s) = true /\
  B2R (snapF lib form swap_sum swap_sign k t B f u s)
  = clamp (B2R B) (round_grid (tie_up t) (bpow radix2 k)
      (rnd (clamp (B2R B) (B2R f) + B2R s * noiseR form (fun v => rnd (ln v)) (B2R u)))).
Proof.
  intros Hform FB HB Hk Ff Fu Hu Fs Hs.
  destruct (clampF_value f B Ff FB) as [Fc Ec].
  destruct (noiseF_value form u Hform Fu Hu) as (Fy & Ey & Hy).
  assert (Hc : Rabs (B2R (clampF f B)) <= bpow radix2 1000).
  { rewrite Ec; pose proof (clamp_range (B2R B) (B2R f) (proj1 HB)); apply Rabs_le; lra. }
  destruct (noisyF_value swap_sum swap_sign _ s _ Fc Fs Fy Hs Hc Hy) as (Fw & Ew & Hw).
  destruct (proj2 correct k t _ Fw (proj1 Hk) (grid_bound k t _ (proj2 Hk) Hw)) as [Fg Eg].
  destruct (clampF_value _ B Fg FB) as [Fr Er]; unfold snapF.
  split; [exact Fr |]; now rewrite Er, Eg, to_grid_round, Ew, Ec, Ey.
Qed.

(** * From [snap] to the program *)

Theorem program_loss form swap_sum swap_sign k t m e p result inputs Delta loss :
  (forall f u s, float_value lib p result (inputs f u s)
    = snapF lib form swap_sum swap_sign k t (of_dyadic m e) f u s) ->
  form_in_range form -> small m e -> 0 < value m e <= bpow radix2 1000 -> (-1074 <= k <= 1000)%Z ->
  (forall LN, correctly_rounded_ln LN -> forall f f' e', F f -> F f' -> Rabs (f - f') <= Delta ->
    ratio_at_most (exp loss)
      (snap (tie_up t) (noiseR form LN) (bpow radix2 k) (value m e) f)
      (snap (tie_up t) (noiseR form LN) (bpow radix2 k) (value m e) f') e') ->
  loss_bound lib p result inputs Delta loss.
Proof.
  intros Reads Hform HBs HB Hk Snap; destruct (of_dyadic_value m e HBs) as [FB EB]; [lra |].
  assert (HB' : 0 < B2R (of_dyadic m e : float64) <= bpow radix2 1000) by now rewrite EB.
  split.
  - intros f u s Ff Fu Hu Fs Hs; rewrite Reads.
    exact (proj1 (snapF_value form swap_sum swap_sign k t _ f u s Hform FB HB' Hk Ff Fu Hu Fs Hs)).
  - intros f f' Ff Ff' Hff e'; set (LN := fun v => rnd (ln v)).
    assert (Same : forall g : float64, is_finite g = true -> forall U s, 0 < U < 1 -> s = 1 \/ s = -1 ->
      released lib p result inputs g U s
      = snap (tie_up t) (noiseR form LN) (bpow radix2 k) (value m e) (B2R g) U s).
    { intros g Fg U s HU Hs; unfold released, snap; destruct (Rlt_dec U tiny) as [_|HU']; [reflexivity |].
      destruct (float_below_spec U) as (Fu & Hu & _); [lra |].
      destruct (nearest_F (float_below U) Fu) as [Fiu Eu].
      { apply Rle_trans with (bpow radix2 0); [| apply bpow_le; lia].
        rewrite Rabs_pos_eq; simpl bpow; lra. }
      destruct (nearest_F s) as [Fis Es].
      { replace s with (IZR (if Rlt_dec 0 s then 1 else -1) * bpow radix2 0).
        - apply dyadic_F; [destruct (Rlt_dec 0 s) |]; lia.
        - rewrite Rmult_1_r; destruct Hs as [-> | ->]; destruct (Rlt_dec _ _); lra. }
      { apply Rle_trans with (bpow radix2 0); [| apply bpow_le; lia].
        simpl bpow; destruct Hs as [-> | ->]; apply Rabs_le; lra. }
      rewrite Reads; rewrite <- Eu in Hu; rewrite <- Es in Hs.
      destruct (snapF_value form swap_sum swap_sign k t _ g _ _ Hform FB HB' Hk Fg Fiu Hu Fis Hs) as [_ ->].
      now rewrite Eu, Es, EB. }
    destruct (Snap LN (fun u _ _ => eq_refl) (B2R f) (B2R f') e' (binary64_F f) (binary64_F f') Hff)
      as (q & q' & Hq & Hq' & Hle).
    exists q, q'; split; [| split; [| exact Hle]].
    + refine (event_prob_ext _ _ _ _ Hq); intros U s HU Hs; now rewrite (Same f Ff U s HU Hs).
    + refine (event_prob_ext _ _ _ _ Hq'); intros U s HU Hs; now rewrite (Same f' Ff' U s HU Hs).
Qed.

End Library.

(** * Sets of outputs *)

(** The probability of a list of outputs, each of which is in it once or counts as often as it is. *)
Fixpoint set_prob (M : R -> R -> option R) (es : list R) (p : R) : Prop :=
  match es with
  | nil => p = 0
  | cons e es => exists q q', has_prob M (Some e) q /\ set_prob M es q' /\ p = q + q'
  end.

(** A bound for each output is one for each finite set of them. *)
Theorem loss_of_sets c M M' : (forall e, ratio_at_most c M M' e) ->
  forall es, exists p p', set_prob M es p /\ set_prob M' es p' /\ p <= c * p'.
Proof.
  intros H; induction es as [|e es (p & p' & Hp & Hp' & L)].
  - exists 0, 0; repeat split; lra.
  - destruct (H e) as (q & q' & Hq & Hq' & L').
    exists (q + p), (q' + p'); split; [|split]; [exists q, p | exists q', p' | lra]; auto.
Qed.
