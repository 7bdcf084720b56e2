(** Theorem A: the loss of the snapping mechanism in binary64, in closed form.

    With [eta = 2^-53], [M = eps * (2 * B + L / 2) <= 700] and [L' = L - 2^-52 * (B + L)] the loss is at
    most [eps * |f - f'| + coth (L' * eps / 2) * (4 * M + 4) * eta * (1 + 2^-9)], and without the coth at
    the ends.

    Relative errors of tails are at most [K = (2 * M + 2) * eta * (1 + 2^-10)] up to the distance [M], those
    of outputs at most [z = K * coth (L' * eps / 2)], and [(1 + z) / (1 - z)] is about [exp (2 * z)]. For
    that [z] must be small: otherwise a cell may be so narrow that no value of the noise hits it for one of
    the inputs, and the loss is infinite while the formula is not. If [L * eps >= 1] it is small, and the
    coth is at most 2.17. *)

From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require Import FloatSum FloatCell FloatNoise FloatLn FloatSnap.
Open Scope R_scope.

Definition eta : R := bpow radix2 (-53).
Definition coth (x : R) : R := cosh x / sinh x.

(** * Numbers *)

Lemma coth_half l : 0 < l -> coth (l / 2) = (1 + exp (- l)) / (1 - exp (- l)).
Proof.
  intros Hl; unfold coth, cosh, sinh.
  assert (E : exp (- l) = exp (- (l / 2)) * exp (- (l / 2))) by (rewrite <- exp_plus; f_equal; field).
  assert (E1 : exp (l / 2) * exp (- (l / 2)) = 1)
    by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  pose proof (exp_lt_1 (- l)); pose proof (exp_pos (- (l / 2))).
  assert (H2 : exp (- (l / 2)) < exp (l / 2)) by (apply exp_increasing; lra).
  rewrite E in *.
  apply Rmult_eq_reg_r
    with ((exp (l / 2) - exp (- (l / 2))) * (1 - exp (- (l / 2)) * exp (- (l / 2))));
    [| apply Rmult_integral_contrapositive; split; lra].
  field_simplify; [| lra | lra]; nra.
Qed.

(** [coth (l / 2)] falls with [l]. *)
Lemma coth_le r r' : 0 <= r <= r' -> r' < 1 -> (1 + r) / (1 - r) <= (1 + r') / (1 - r').
Proof.
  intros Hr Hr1; apply Rmult_le_reg_r with ((1 - r) * (1 - r')); [apply Rmult_lt_0_compat; lra |].
  replace ((1 + r) / (1 - r) * ((1 - r) * (1 - r'))) with ((1 + r) * (1 - r')) by (field; lra).
  replace ((1 + r') / (1 - r') * ((1 - r) * (1 - r'))) with ((1 + r') * (1 - r)) by (field; lra).
  lra.
Qed.

Lemma exp_second_order a : 0 <= a -> 1 + a + a * a / 2 <= exp a.
Proof.
  set (g := fun x => exp x - (1 + x + x * x / 2)).
  assert (D : forall x, derivable_pt_lim g x (exp x - (0 + 1 + x))).
  { intros x; unfold g; apply derivable_pt_lim_minus; [apply derivable_pt_lim_exp |].
    apply derivable_pt_lim_plus; [apply derivable_pt_lim_plus |].
    - apply derivable_pt_lim_const.
    - apply derivable_pt_lim_id.
    - replace x with ((1 * x + x * 1) * / 2 + x * x * 0) at 2 by field.
      apply (derivable_pt_lim_mult (fun x => x * x) (fun _ => / 2)); [| apply derivable_pt_lim_const].
      apply (derivable_pt_lim_mult (fun x => x) (fun x => x)); apply derivable_pt_lim_id. }
  intros Ha; assert (G : g 0 <= g a).
  { apply (nonneg_derivative_1 g (fun x => exist _ _ (D x))); [| exact Ha].
    intros x; simpl; pose proof (exp_ineq1_le x); lra. }
  unfold g in G; rewrite exp_0 in G; lra.
Qed.

(** [(1 + z) / (1 - z)] for small [z]; what is beyond the first order is covered by the factor. *)
Lemma error_factor z :
  0 <= z <= bpow radix2 (-6) * (1 + bpow radix2 (-10)) ->
  1 + z <= exp (2 * (z / (1 + bpow radix2 (-10)) * (1 + bpow radix2 (-9)))) * (1 - z).
Proof.
  intros [Hz Hz1].
  assert (Hq : 1 + 1 / 1030 <= (1 + bpow radix2 (-9)) / (1 + bpow radix2 (-10))) by interval with (i_prec 80).
  assert (Hz2 : z <= 1 / 60) by (apply Rle_trans with (1 := Hz1); interval with (i_prec 80)).
  set (a := 2 * z * (1 + 1 / 1030)).
  apply Rle_trans with (exp a * (1 - z)).
  - pose proof (exp_second_order a ltac:(unfold a; lra)) as E.
    apply Rle_trans with ((1 + a + a * a / 2) * (1 - z)); [| apply Rmult_le_compat_r; lra].
    unfold a; assert (0 <= z * z <= 1 / 60 * (1 / 60)) by (split; nra).
    assert (z * (z * z) <= z * (1 / 60 * (1 / 60))) by (apply Rmult_le_compat_l; lra).
    assert (0 <= z * z * z) by (apply Rmult_le_pos; lra); lra.
  - apply Rmult_le_compat_r; [lra |]; apply exp_le; unfold a.
    replace (2 * (z / (1 + bpow radix2 (-10)) * (1 + bpow radix2 (-9))))
      with (2 * z * ((1 + bpow radix2 (-9)) / (1 + bpow radix2 (-10)))).
    + apply Rmult_le_compat_l; lra.
    + pose proof (bpow_gt_0 radix2 (-10)); field; lra.
Qed.

(** * Tails *)

(** Noise with two roundings, and a little more. *)
Definition two_roundings (rho : R) : Prop := 0 <= rho <= 2 * eta * (1 + bpow radix2 (-20)).
Definition rounded_noise (eps : R) (yF : R -> R) : Prop :=
  exists rho, two_roundings rho /\ float_noise eps rho yF.

(** Both programs, for [eps] or [lambda] away from under- and overflow. *)
Lemma divided_rounded LN eps :
  correctly_rounded_ln LN -> bpow radix2 (-500) <= eps <= bpow radix2 500 ->
  rounded_noise eps (fun u => rnd (LN u / eps)).
Proof.
  intros HLN He; pose proof (bpow_gt_0 radix2 (-500)).
  assert (bpow radix2 500 <= bpow radix2 900) by (apply bpow_le; lia).
  exists (bpow radix2 (-52)); split; [unfold two_roundings, eta; simpl bpow; lra |].
  apply divided_noise; [exact HLN | lra].
Qed.

Lemma scaled_rounded LN lambda :
  correctly_rounded_ln LN -> bpow radix2 (-500) <= lambda <= bpow radix2 500 ->
  rounded_noise (/ lambda) (fun u => rnd (lambda * LN u)).
Proof.
  intros HLN Hl; assert (bpow radix2 (-900) <= bpow radix2 (-500)) by (apply bpow_le; lia).
  exists (bpow radix2 (-52)); split; [unfold two_roundings, eta; simpl bpow; lra |].
  apply scaled_noise; [exact HLN | lra].
Qed.

Definition tail_error (M : R) : R := (2 * M + 2) * eta * (1 + bpow radix2 (-10)).

Lemma tail_error_bounds rho M m :
  two_roundings rho -> M <= 700 -> 0 <= m <= M * (1 + eta) ->
  kappa_plus rho m <= tail_error M /\ kappa_minus rho m <= tail_error M.
Proof.
  intros [Hr0 Hr] HM [Hm0 Hm].
  assert (HM0 : 0 <= M) by (unfold eta in Hm; simpl bpow in Hm; lra).
  assert (Hm1 : m <= 701) by (unfold eta in Hm; simpl bpow in Hm; lra).
  assert (Hr1 : rho <= / 4000000000000000) by (unfold eta in Hr; simpl bpow in Hr; lra).
  assert (Hmr : m * rho <= 2 * M * (eta * (1 + bpow radix2 (-19)))).
  { apply Rle_trans with (m * (2 * eta * (1 + bpow radix2 (-20)))); [apply Rmult_le_compat_l; lra |].
    apply Rle_trans with (M * (1 + eta) * (2 * eta * (1 + bpow radix2 (-20)))).
    - apply Rmult_le_compat_r; [unfold eta; simpl bpow; lra | exact Hm].
    - unfold eta; simpl bpow; lra. }
  assert (Hmr0 : 0 <= m * rho) by (apply Rmult_le_pos; lra).
  assert (Hmr1 : m * rho <= / 1000000000000).
  { apply Rle_trans with (1 := Hmr); unfold eta; simpl bpow; lra. }
  split.
  - assert (T : tiny * exp (m / (1 + rho)) <= bpow radix2 (-52)).
    { apply Rle_trans with (tiny * exp 701).
      - apply Rmult_le_compat_l; [left; apply tiny_pos |]; apply exp_le.
        apply Rmult_le_reg_r with (1 + rho); [lra |].
        replace (m / (1 + rho) * (1 + rho)) with m by (field; lra); lra.
      - unfold tiny; interval with (i_prec 80). }
    unfold kappa_plus; rewrite Rmax_left by exact T.
    set (a := m * rho / (1 + rho)).
    assert (Ha : 0 <= a <= m * rho).
    { assert (a * (1 + rho) = m * rho) by (unfold a; field; lra); split; nra. }
    assert (E : exp a <= 1 + a * (1 + / 1000000)).
    { pose proof (exp_ineq1_le (- a)) as E; rewrite exp_Ropp in E; pose proof (exp_pos a).
      assert (E1 : exp a * (1 - a) <= 1).
      { apply Rle_trans with (exp a * / exp a); [apply Rmult_le_compat_l; lra | right; field; lra]. }
      apply Rmult_le_reg_r with (1 - a); [lra |]; nra. }
    assert (H0 : 0 < exp a) by apply exp_pos.
    apply Rle_trans with ((1 + a * (1 + / 1000000)) * (1 + bpow radix2 (-52)) - 1).
    + apply Rplus_le_compat_r, Rmult_le_compat_r; [simpl bpow; lra | exact E].
    + unfold tail_error, eta in *; simpl bpow in *; lra.
  - assert (T : tiny * exp (m / (1 - rho)) <= / 1000000000000000000).
    { apply Rle_trans with (tiny * exp 702).
      - apply Rmult_le_compat_l; [left; apply tiny_pos |]; apply exp_le.
        apply Rmult_le_reg_r with (1 - rho); [lra |].
        replace (m / (1 - rho) * (1 - rho)) with m by (field; lra); lra.
      - unfold tiny; interval with (i_prec 80). }
    unfold kappa_minus; set (b := m * rho / (1 - rho)).
    assert (Hb : b <= m * rho * (1 + / 1000000)).
    { apply Rmult_le_reg_r with (1 - rho); [lra |].
      replace (b * (1 - rho)) with (m * rho) by (unfold b; field; lra); nra. }
    pose proof (exp_ineq1_le (- b)).
    unfold tail_error, eta in *; simpl bpow in *; lra.
Qed.

(** * The grid, and all outputs *)

Section Loss.

Variables (choice : Z -> bool) (eps rho B : R) (yF : R -> R) (k : Z).
Let L := bpow radix2 k.
Let M := eps * (2 * B + L / 2).
Let L' := L - bpow radix2 (-52) * (B + L).

Hypothesis eps_pos : 0 < eps.
Hypothesis noise : float_noise eps rho yF.
Hypothesis rho_range : two_roundings rho.
Hypothesis B_pos : 0 < B.
Hypothesis B_float : F B.
Hypothesis k_range : (-1000 <= k)%Z.
Hypothesis L'_pos : 0 < L'.
Hypothesis M_most : M <= 700.

Let N := Zceil (B / L).
Let j : Z := mag radix2 (middle L N).
Let h := bpow radix2 (j - 54).

Let HL : 0 < L.
Proof. apply bpow_gt_0. Qed.

Lemma N_first : (IZR N - 1) * L < B <= IZR N * L.
Proof.
  assert (E : B = B / L * L) by (field; lra).
  split; rewrite E at 1.
  - apply Rmult_lt_compat_r; [exact HL |].
    unfold N; pose proof (Zceil_lb (B / L)); lra.
  - apply Rmult_le_compat_r; [lra | apply Zceil_ub].
Qed.

Lemma N_range : (1 <= N <= 2 ^ 52)%Z.
Proof.
  pose proof N_first as [H1 H2]; split.
  - assert (0 < IZR N) by (apply Rmult_lt_reg_r with L; lra); apply lt_IZR in H; lia.
  - apply Zceil_glb; apply Rmult_le_reg_r with L; [exact HL |].
    replace (B / L * L) with B by (field; lra).
    unfold L' in L'_pos; simpl bpow in L'_pos; change (2 ^ 52)%Z with 4503599627370496%Z; lra.
Qed.

Lemma middle_N : L / 2 <= middle L N <= B + L / 2.
Proof.
  pose proof N_first; pose proof N_range as [H1 _]; apply IZR_le in H1.
  assert (E : middle L N = IZR N * L - L / 2) by (unfold middle; field).
  assert (1 * L <= IZR N * L) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Lemma j_spec : (k <= j)%Z /\ middle L N < bpow radix2 j /\ 0 < h <= eta * middle L N.
Proof.
  pose proof middle_N as [H1 _]; set (T := middle L N) in *.
  assert (T0 : T <> 0) by lra.
  assert (Hj : bpow radix2 (j - 1) <= T < bpow radix2 j).
  { pose proof (bpow_mag_le radix2 T T0) as A; pose proof (bpow_mag_gt radix2 T) as A'.
    rewrite Rabs_pos_eq in A, A' by lra; split; assumption. }
  repeat split; try apply Hj.
  - assert (bpow radix2 (k - 1) < bpow radix2 j).
    { apply Rle_lt_trans with (2 := proj2 Hj), Rle_trans with (2 := H1).
      unfold Zminus; rewrite bpow_plus; change (bpow radix2 (- (1))) with (/ 2); fold L; lra. }
    apply lt_bpow in H; lia.
  - apply bpow_gt_0.
  - unfold h; replace (j - 54)%Z with (-53 + (j - 1))%Z by ring; rewrite bpow_plus.
    apply Rmult_le_compat_l; [apply bpow_ge_0 | apply Hj].
Qed.

Lemma h_range : h <= eta * (B + L / 2) /\ L' <= L - 2 * h /\ 2 * h < L.
Proof.
  pose proof j_spec as (_ & _ & _ & H); pose proof middle_N as [_ HT].
  assert (h <= eta * (B + L / 2)).
  { apply Rle_trans with (1 := H), Rmult_le_compat_l; [apply bpow_ge_0 | exact HT]. }
  assert (E : bpow radix2 (-52) = 2 * eta) by (unfold eta; simpl bpow; lra).
  assert (0 < eta) by apply bpow_gt_0.
  assert (0 <= eta * (B + L)) by (apply Rmult_le_pos; lra).
  assert (eta * (B + L / 2) <= eta * (B + L)) by (apply Rmult_le_compat_l; lra).
  unfold L' in *; rewrite E in *; repeat split; lra.
Qed.

Lemma reach_M : reach eps B k N j <= M * (1 + eta).
Proof.
  pose proof h_range as (Hh & _); pose proof middle_N as [_ HT]; unfold reach, M; fold L h.
  assert (0 < eta) by apply bpow_gt_0.
  assert (0 <= eta * B) by (apply Rmult_le_pos; lra).
  rewrite Rmult_assoc; apply Rmult_le_compat_l; lra.
Qed.

Let K := tail_error M.

Lemma M_pos : 0 < M.
Proof. unfold M; apply Rmult_lt_0_compat; lra. Qed.

Lemma K_pos : 0 < K.
Proof.
  pose proof M_pos; unfold K, tail_error, eta.
  repeat apply Rmult_lt_0_compat; try lra; simpl bpow; lra.
Qed.

Lemma K_plus m : 0 <= m <= reach eps B k N j -> kappa_plus rho m <= K.
Proof. intros Hm; pose proof reach_M; apply (tail_error_bounds rho M m); [assumption.. | lra]. Qed.

Lemma K_minus m : 0 <= m <= reach eps B k N j -> kappa_minus rho m <= K.
Proof. intros Hm; pose proof reach_M; apply (tail_error_bounds rho M m); [assumption.. | lra]. Qed.

Lemma rho_lt_1 : 0 <= rho < 1.
Proof. destruct rho_range as [H0 H]; unfold eta in H; simpl bpow in H; lra. Qed.

(** The factor that covers a relative error of [K * c] for both inputs. *)
Lemma K_factor c :
  0 < c -> c * (2 * M + 2) * eta <= bpow radix2 (-6) ->
  1 + K * c <= exp (c * (4 * M + 4) * eta * (1 + bpow radix2 (-9))) * (1 - K * c).
Proof.
  intros Hc Hs; pose proof K_pos; pose proof (bpow_gt_0 radix2 (-10)).
  assert (E : K * c = c * (2 * M + 2) * eta * (1 + bpow radix2 (-10))) by (unfold K, tail_error; ring).
  replace (c * (4 * M + 4) * eta * (1 + bpow radix2 (-9)))
    with (2 * (K * c / (1 + bpow radix2 (-10)) * (1 + bpow radix2 (-9))))
    by (rewrite E; field; lra).
  apply error_factor; split; [apply Rmult_le_pos; lra |].
  rewrite E; apply Rmult_le_compat_r; lra.
Qed.

Lemma ends_loss f f' e :
  F f -> F f' -> e = - B \/ e = B ->
  ratio_at_most (exp (eps * Rabs (f - f') + (4 * M + 4) * eta * (1 + bpow radix2 (-9))))
    (snap choice yF L B f) (snap choice yF L B f') e.
Proof.
  intros Hf Hf' He; rewrite exp_plus.
  pose proof N_range; pose proof j_spec as (Hj & HT & _); pose proof K_pos as HK; pose proof M_pos as HM.
  assert (HX : 1 + K <= exp ((4 * M + 4) * eta * (1 + bpow radix2 (-9))) * (1 - K)).
  { replace K with (K * 1) by ring; rewrite <- (Rmult_1_l (4 * M + 4)).
    apply K_factor; [lra |]; unfold eta; simpl bpow; lra. }
  destruct He as [->| ->];
    [apply lower_end_loss with (rho := rho) (d := 2 * h) (N := N) (j := j) (kp := fun _ => K)
       (km := fun _ => K) (near := eps * (B - middle L N + h))
    |apply upper_end_loss with (rho := rho) (d := 2 * h) (N := N) (j := j) (kp := fun _ => K)
       (km := fun _ => K) (near := eps * (B - middle L N + h))];
    try assumption; try apply N_first; try lia; try (intros; lra); try apply rho_lt_1; try apply K_plus;
    try apply K_minus; try (left; apply exp_pos); try apply Rle_refl; try (left; reflexivity).
  all: repeat split; assumption.
Qed.

Lemma outputs_loss f f' e :
  coth (L' * eps / 2) * (2 * M + 2) * eta <= bpow radix2 (-6) ->
  F f -> F f' ->
  ratio_at_most (exp (eps * Rabs (f - f') + coth (L' * eps / 2) * (4 * M + 4) * eta * (1 + bpow radix2 (-9))))
    (snap choice yF L B f) (snap choice yF L B f') e.
Proof.
  intros Hs Hf Hf'; rewrite exp_plus.
  pose proof N_range; pose proof j_spec as (Hj & HT & Hh0 & _).
  pose proof K_pos as HK; pose proof M_pos as HM.
  pose proof h_range as (_ & HL' & HhL).
  set (l := eps * (L - 2 * h)).
  assert (Hl0 : 0 < L' * eps) by (apply Rmult_lt_0_compat; assumption).
  assert (Hl : L' * eps <= l) by (unfold l; rewrite (Rmult_comm L'); apply Rmult_le_compat_l; lra).
  assert (Hr : 0 < exp (- l) < 1) by (split; [apply exp_pos | apply exp_lt_1; lra]).
  assert (HC : (1 + exp (- l)) / (1 - exp (- l)) <= coth (L' * eps / 2)).
  { rewrite coth_half by exact Hl0.
    apply coth_le; [split; [lra | apply exp_le; lra] | apply exp_lt_1; lra]. }
  assert (HC1 : 1 <= (1 + exp (- l)) / (1 - exp (- l))).
  { apply Rmult_le_reg_r with (1 - exp (- l)); [lra |].
    replace ((1 + exp (- l)) / (1 - exp (- l)) * (1 - exp (- l))) with (1 + exp (- l)) by (field; lra); lra. }
  set (c := (1 + exp (- l)) / (1 - exp (- l))) in *; set (C := coth (L' * eps / 2)) in *.
  set (X := exp (C * (4 * M + 4) * eta * (1 + bpow radix2 (-9)))).
  assert (HX : 1 + K * C <= X * (1 - K * C)) by (apply K_factor; [lra | exact Hs]).
  assert (X0 : 0 < X) by apply exp_pos.
  assert (COVER : forall a b, a <= K * C -> b <= K * C -> 1 + a <= X * (1 - b)).
  { intros a b Ha Hb; apply Rle_trans with (1 + K * C); [lra |]; apply Rle_trans with (1 := HX).
    apply Rmult_le_compat_l; lra. }
  assert (HKc : K * c <= K * C) by (apply Rmult_le_compat_l; lra).
  assert (HK1 : K <= K * C) by (rewrite <- (Rmult_1_r K) at 1; apply Rmult_le_compat_l; lra).
  assert (ONE : (K + exp (- l) * K) / (1 - exp (- l)) = K * c) by (unfold c; field; lra).
  apply snap_loss with (rho := rho) (d := 2 * h) (N := N) (j := j) (kp := fun _ => K) (km := fun _ => K)
    (near := eps * (B - middle L N + h)) (W := reach eps B k N j) (Dn := reach eps B k N j);
    try assumption; try apply N_first; try lia; try (intros; lra);
    try apply rho_lt_1; try apply K_plus; try apply K_minus; try (left; apply Rle_refl); try apply Rle_refl;
    try (left; reflexivity); try lra.
  - repeat split; apply COVER; assumption.
  - unfold cell_factor, one_up, one_down, own_up, own_down; fold L h l; rewrite ONE; fold c.
    repeat split; apply COVER; assumption.
Qed.

End Loss.

(** * Theorem A *)

(** The snapping mechanism in binary64 with [x] clamped to [-B, B] first, any noise with two roundings, and
    a grid of [L = 2^k]. [M <= 700] keeps [u] away from the least float. The last hypothesis on the numbers
    says that relative errors are at most 1/64. It cannot be left out: [FloatSnapNarrow] has a mechanism for
    which all the others hold and the loss is infinite. *)
Theorem theorem_A (choice : Z -> bool) (eps B : R) (yF : R -> R) (k : Z) (f f' e : R) :
  let L := bpow radix2 k in
  let L' := L - bpow radix2 (-52) * (B + L) in
  let M := eps * (2 * B + L / 2) in
  0 < eps -> rounded_noise eps yF -> (-1000 <= k)%Z -> 0 < B -> F B -> M <= 700 -> 0 < L' ->
  coth (L' * eps / 2) * (2 * M + 2) * eta <= / 64 ->
  F f -> F f' ->
  ratio_at_most (exp (eps * Rabs (f - f') + coth (L' * eps / 2) * (4 * M + 4) * eta * (1 + bpow radix2 (-9))))
    (snap choice yF L B f) (snap choice yF L B f') e.
Proof.
  intros L L' M He (rho & Hr & Hy) Hk HB FB HM HL' Hs Hf Hf'; now apply outputs_loss with (rho := rho).
Qed.

(** At the two ends the coth is not needed, nor that it is small. *)
Theorem theorem_A_ends (choice : Z -> bool) (eps B : R) (yF : R -> R) (k : Z) (f f' e : R) :
  let L := bpow radix2 k in
  let L' := L - bpow radix2 (-52) * (B + L) in
  let M := eps * (2 * B + L / 2) in
  0 < eps -> rounded_noise eps yF -> (-1000 <= k)%Z -> 0 < B -> F B -> M <= 700 -> 0 < L' ->
  F f -> F f' -> e = - B \/ e = B ->
  ratio_at_most (exp (eps * Rabs (f - f') + (4 * M + 4) * eta * (1 + bpow radix2 (-9))))
    (snap choice yF L B f) (snap choice yF L B f') e.
Proof.
  intros L L' M He (rho & Hr & Hy) Hk HB FB HM HL' Hf Hf' Hend; now apply ends_loss with (rho := rho).
Qed.

(** If [L * eps >= 1], the rest follows from [M <= 700]. *)
Theorem theorem_A_wide (choice : Z -> bool) (eps B : R) (yF : R -> R) (k : Z) (f f' e : R) :
  let L := bpow radix2 k in
  let M := eps * (2 * B + L / 2) in
  0 < eps -> rounded_noise eps yF -> (-1000 <= k)%Z -> 0 < B -> F B ->
  M <= 700 -> 1 <= L * eps -> F f -> F f' ->
  ratio_at_most (exp (eps * Rabs (f - f') + 8.7 * (M + 1) * eta)) (snap choice yF L B f)
    (snap choice yF L B f') e.
Proof.
  intros L M He Hy Hk HB FB HM HLe Hf Hf'.
  set (L' := L - bpow radix2 (-52) * (B + L)).
  assert (HL : 0 < L) by apply bpow_gt_0.
  assert (HeB : 0 < eps * B) by (apply Rmult_lt_0_compat; assumption).
  assert (EM : M = 2 * (eps * B) + L * eps / 2) by (unfold M; field).
  assert (Hl : 999 / 1000 <= L' * eps).
  { replace (L' * eps) with (L * eps - bpow radix2 (-52) * (eps * B + L * eps)) by (unfold L'; ring).
    simpl bpow; lra. }
  assert (HL' : 0 < L') by (apply Rmult_lt_reg_r with eps; lra).
  assert (HC : 0 < coth (L' * eps / 2) <= 217 / 100).
  { rewrite coth_half by lra.
    assert (Hx : 0 < exp (- (L' * eps)) <= exp (- (999 / 1000)))
      by (split; [apply exp_pos | apply exp_le; lra]).
    assert (Hx1 : exp (- (999 / 1000)) <= 36825 / 100000) by interval with (i_prec 80).
    split.
    - apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra].
    - apply Rle_trans with ((1 + 36825 / 100000) / (1 - 36825 / 100000)); [apply coth_le; lra | lra]. }
  assert (HM0 : 0 < M) by lra.
  assert (HCM : coth (L' * eps / 2) * (M + 1) <= 217 / 100 * (M + 1)) by (apply Rmult_le_compat_r; lra).
  set (C := coth (L' * eps / 2)) in *.
  apply ratio_at_most_le with (exp (eps * Rabs (f - f') + C * (4 * M + 4) * eta * (1 + bpow radix2 (-9)))).
  - apply exp_le, Rplus_le_compat_l; unfold eta; simpl bpow; lra.
  - apply theorem_A; try assumption.
    fold L M L' C; unfold eta; simpl bpow; lra.
Qed.

(** The same for the mechanism as it is usually written, with a correctly rounded logarithm. *)
Corollary theorem_A_divided (choice : Z -> bool) (LN : R -> R) (eps B : R) (k : Z) (f f' e : R) :
  let L := bpow radix2 k in
  let M := eps * (2 * B + L / 2) in
  correctly_rounded_ln LN -> bpow radix2 (-500) <= eps <= bpow radix2 500 -> (-1000 <= k)%Z ->
  0 < B -> F B -> M <= 700 -> 1 <= L * eps -> F f -> F f' ->
  ratio_at_most (exp (eps * Rabs (f - f') + 8.7 * (M + 1) * eta))
    (snap choice (fun u => rnd (LN u / eps)) L B f) (snap choice (fun u => rnd (LN u / eps)) L B f') e.
Proof.
  intros L M HLN He; intros; pose proof (bpow_gt_0 radix2 (-500)).
  apply theorem_A_wide; try assumption; [lra | now apply divided_rounded].
Qed.

Corollary theorem_A_scaled (choice : Z -> bool) (LN : R -> R) (lambda B : R) (k : Z) (f f' e : R) :
  let L := bpow radix2 k in
  let M := (2 * B + L / 2) / lambda in
  correctly_rounded_ln LN -> bpow radix2 (-500) <= lambda <= bpow radix2 500 -> (-1000 <= k)%Z ->
  0 < B -> F B -> M <= 700 -> lambda <= L -> F f -> F f' ->
  ratio_at_most (exp (Rabs (f - f') / lambda + 8.7 * (M + 1) * eta))
    (snap choice (fun u => rnd (lambda * LN u)) L B f) (snap choice (fun u => rnd (lambda * LN u)) L B f') e.
Proof.
  intros L M HLN Hl Hk HB FB HM HL Hf Hf'; pose proof (bpow_gt_0 radix2 (-500)).
  assert (EM : M = / lambda * (2 * B + L / 2)) by (unfold M, Rdiv; ring).
  unfold Rdiv at 1; rewrite (Rmult_comm _ (/ lambda)), EM; rewrite EM in HM.
  apply theorem_A_wide; try assumption.
  - apply Rinv_0_lt_compat; lra.
  - now apply scaled_rounded.
  - apply Rmult_le_reg_r with lambda; [lra |]; fold L; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.
