(** The inequality behind the privacy of Laplace noise, by certificates.

    Let [w] be [x] plus Laplace noise and let a cell of values of [w] reach from [a] to [c].  Seen from the
    input [x] its ends are [A = exp (eps * (a - x))] and [b = exp (eps * (c - x))]: below 1 if they lie
    below [x], above 1 if they lie above.  Twice the probability of the cell is [cell_mass A b].  For a
    second input the ends are [k * A] and [k * b], with the same [k] for all cells; if the inputs are close,
    [k] lies between [/ E] and [E].  What is proved is [cell_mass A b <= E * cell_mass (k * A) (k * b)], and
    the same for the two tails.

    A minimum is one of its arguments, so each inequality is several: 16 for cells, 4 for each tail.  The
    name of a case says where the cell lies, seen from the first and from the second input: [below] it,
    [around] it, [above] it, or [point], the case where both ends are 1.  Each case has a Handelman
    certificate: right side minus left side is, identically, a sum of products of factors that the
    hypotheses make nonnegative. *)

Require Import Reals Lra.
Open Scope R_scope.

(** * Masses *)

Definition min1 (x : R) : R := Rmin 1 x.

(** Twice the probability of a cell, of everything below [b], and of everything above [A]. *)
Definition cell_mass (A b : R) : R := min1 b - min1 A + min1 (/ A) - min1 (/ b).
Definition lower_mass (b : R) : R := min1 b + 1 - min1 (/ b).
Definition upper_mass (A : R) : R := 1 - min1 A + min1 (/ A).

(** * Certificates *)

Lemma by_certificate x y c : y - x = c -> 0 <= c -> x <= y.
Proof. lra. Qed.

Ltac positive :=
  lazymatch goal with
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; positive
  | |- _ => lra
  end.

(** A sum of products of factors, each of them nonnegative by a hypothesis. *)
Ltac nonnegative :=
  lazymatch goal with
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; nonnegative
  | |- 0 <= _ * _ => apply Rmult_le_pos; nonnegative
  | |- 0 <= _ / _ => apply Rmult_le_pos; nonnegative
  | |- 0 <= / _ => left; apply Rinv_0_lt_compat; positive
  | |- _ => lra
  end.

(** Proves [x <= y] by the certificate [c]: the identity [y - x = c], then [0 <= c], product by product. *)
Ltac certificate c := apply (by_certificate _ _ c); [field; repeat split; lra | nonnegative].

Section Cases.

Set Default Proof Using "All".

Variables k E : R.
Hypothesis k_pos : 0 < k.
Hypothesis k_le_E : k <= E.
Hypothesis kE_ge_1 : 1 <= k * E.
Hypothesis E_ge_1 : 1 <= E.

(** * Cells: 16 cases *)

Section Cell.

Variables A b : R.
Hypothesis A_pos : 0 < A.
Hypothesis A_le_b : A <= b.

Lemma cell_below_below : A <= 1 -> b <= 1 -> k * A <= 1 -> k * b <= 1 ->
  b - A <= E * (k * b - k * A).
Proof. intros; certificate ((b - A) * (k * E - 1)). Qed.

Lemma cell_below_around : A <= 1 -> b <= 1 -> k * A <= 1 -> 1 <= k * b ->
  b - A <= E * (2 - k * A - / (k * b)).
Proof.
  intros; certificate (/ k * (k * E - 1) * (1 - k * A) + / (k * b) * (k * b - 1) * ((E - 1) + (1 - b))).
Qed.

Lemma cell_below_point : A <= 1 -> b <= 1 -> 1 <= k * A -> k * b <= 1 ->
  b - A <= E * (k * b + / (k * A) - 2).
Proof. intros; certificate ((b - A) * (k * E - 1) + E * / (k * A) * ((k * A - 1) * (k * A - 1))). Qed.

Lemma cell_below_above : A <= 1 -> b <= 1 -> 1 <= k * A -> 1 <= k * b ->
  b - A <= E * (/ (k * A) - / (k * b)).
Proof. intros; certificate (/ (k * A * b) * (b - A) * ((E - k) + k * (1 - A) + k * A * (1 - b))). Qed.

Lemma cell_around_below : A <= 1 -> 1 <= b -> k * A <= 1 -> k * b <= 1 ->
  2 - A - / b <= E * (k * b - k * A).
Proof. intros; certificate ((1 - A) * (k * E - 1) + (b - 1) * ((k * E - 1) + / b * (b - 1))). Qed.

Lemma cell_around_around : A <= 1 -> 1 <= b -> k * A <= 1 -> 1 <= k * b ->
  2 - A - / b <= E * (2 - k * A - / (k * b)).
Proof.
  intros; certificate
    (/ 2 * (A * / b) * (E - k) * ((b - 1) + / k * (k * b - 1)) +
     / 2 * / (b * k) * (k * E - 1) * ((1 - A) + (1 - k * A)) +
     / 2 * / b * (E - 1) * ((1 - A) + (1 - k * A)) * ((b - 1) + / k * (k * b - 1))).
Qed.

Lemma cell_around_point : A <= 1 -> 1 <= b -> 1 <= k * A -> k * b <= 1 ->
  2 - A - / b <= E * (k * b + / (k * A) - 2).
Proof.
  intros; certificate
    ((b - A) * (k * E - 1) + E * / (k * A) * ((k * A - 1) * (k * A - 1)) + / b * ((b - 1) * (b - 1))).
Qed.

Lemma cell_around_above : A <= 1 -> 1 <= b -> 1 <= k * A -> 1 <= k * b ->
  2 - A - / b <= E * (/ (k * A) - / (k * b)).
Proof.
  intros; certificate
    (/ (k * b) * (b - 1) * (E - k) + / (k * A) * (1 - A) * (E - k) + / A * ((1 - A) * (1 - A))).
Qed.

Lemma cell_point_below : 1 <= A -> b <= 1 -> k * A <= 1 -> k * b <= 1 ->
  b + / A - 2 <= E * (k * b - k * A).
Proof. intros; certificate (E * k * (b - A) + (1 - b) + / A * (A - 1)). Qed.

Lemma cell_point_around : 1 <= A -> b <= 1 -> k * A <= 1 -> 1 <= k * b ->
  b + / A - 2 <= E * (2 - k * A - / (k * b)).
Proof. intros; certificate (E * (1 - k * A) + E * / (k * b) * (k * b - 1) + (1 - b) + / A * (A - 1)). Qed.

Lemma cell_point_point : 1 <= A -> b <= 1 -> 1 <= k * A -> k * b <= 1 ->
  b + / A - 2 <= E * (k * b + / (k * A) - 2).
Proof.
  intros; certificate
    (E * k * (b - A) + E * / (k * A) * ((k * A - 1) * (k * A - 1)) + (1 - b) + / A * (A - 1)).
Qed.

Lemma cell_point_above : 1 <= A -> b <= 1 -> 1 <= k * A -> 1 <= k * b ->
  b + / A - 2 <= E * (/ (k * A) - / (k * b)).
Proof. intros; certificate (E * / (k * A * b) * (b - A) + (1 - b) + / A * (A - 1)). Qed.

Lemma cell_above_below : 1 <= A -> 1 <= b -> k * A <= 1 -> k * b <= 1 ->
  / A - / b <= E * (k * b - k * A).
Proof. intros; certificate ((b - A) * ((k * E - 1) + / (A * b) * ((A - 1) + A * (b - 1)))). Qed.

Lemma cell_above_around : 1 <= A -> 1 <= b -> k * A <= 1 -> 1 <= k * b ->
  / A - / b <= E * (2 - k * A - / (k * b)).
Proof.
  intros; certificate (/ (k * b) * (E - k) * (k * b - 1) + (1 - k * A) * ((E - 1) + / A * (A - 1))).
Qed.

Lemma cell_above_point : 1 <= A -> 1 <= b -> 1 <= k * A -> k * b <= 1 ->
  / A - / b <= E * (k * b + / (k * A) - 2).
Proof.
  intros; certificate (/ (k * A * b) * (b - A) * (E - k) + E * / (k * b) * ((1 - k * b) * (1 - k * b))).
Qed.

Lemma cell_above_above : 1 <= A -> 1 <= b -> 1 <= k * A -> 1 <= k * b ->
  / A - / b <= E * (/ (k * A) - / (k * b)).
Proof. intros; certificate (/ (k * A * b) * (b - A) * (E - k)). Qed.

End Cell.

(** * The lower tail, everything below [b]: 4 cases *)

Section Lower.

Variable b : R.
Hypothesis b_pos : 0 < b.

Lemma lower_below_below : b <= 1 -> k * b <= 1 -> b <= E * (k * b).
Proof. intros; certificate (b * (k * E - 1)). Qed.

Lemma lower_below_around : b <= 1 -> 1 <= k * b -> b <= E * (2 - / (k * b)).
Proof. intros; certificate ((E - 1) + (1 - b) + E * / (k * b) * (k * b - 1)). Qed.

Lemma lower_around_below : 1 <= b -> k * b <= 1 -> 2 - / b <= E * (k * b).
Proof. intros; certificate (b * (k * E - 1) + / b * ((b - 1) * (b - 1))). Qed.

Lemma lower_around_around : 1 <= b -> 1 <= k * b -> 2 - / b <= E * (2 - / (k * b)).
Proof. intros; certificate (/ (k * b) * (k * E - 1) + / b * (E - 1) * ((b - 1) + / k * (k * b - 1))). Qed.

End Lower.

(** * The upper tail, everything above [A]: 4 cases *)

Section Upper.

Variable A : R.
Hypothesis A_pos : 0 < A.

Lemma upper_around_around : A <= 1 -> k * A <= 1 -> 2 - A <= E * (2 - k * A).
Proof. intros; certificate (A * (E - k) + (E - 1) * ((1 - A) + (1 - k * A))). Qed.

Lemma upper_around_above : A <= 1 -> 1 <= k * A -> 2 - A <= E * / (k * A).
Proof. intros; certificate (/ (k * A) * (E - k) + / A * ((1 - A) * (1 - A))). Qed.

Lemma upper_above_around : 1 <= A -> k * A <= 1 -> / A <= E * (2 - k * A).
Proof. intros; certificate ((E - 1) + / A * (A - 1) + E * (1 - k * A)). Qed.

Lemma upper_above_above : 1 <= A -> 1 <= k * A -> / A <= E * / (k * A).
Proof. intros; certificate (/ (k * A) * (E - k)). Qed.

End Upper.

End Cases.

(** * Where the minima go *)

Lemma min1_low x : x <= 1 -> min1 x = x.
Proof. intros; unfold min1; apply Rmin_right; lra. Qed.

Lemma min1_high x : 1 <= x -> min1 x = 1.
Proof. intros; unfold min1; apply Rmin_left; lra. Qed.

Lemma min1_inv_low x : 0 < x -> x <= 1 -> min1 (/ x) = 1.
Proof. intros; apply min1_high; rewrite <- Rinv_1; apply Rinv_le_contravar; lra. Qed.

Lemma min1_inv_high x : 1 <= x -> min1 (/ x) = / x.
Proof. intros; apply min1_low; rewrite <- Rinv_1; apply Rinv_le_contravar; lra. Qed.

Lemma cell_mass_below A b : 0 < A -> 0 < b -> A <= 1 -> b <= 1 -> cell_mass A b = b - A.
Proof. intros; unfold cell_mass; rewrite !min1_low, !min1_inv_low by lra; ring. Qed.

Lemma cell_mass_around A b : 0 < A -> 0 < b -> A <= 1 -> 1 <= b -> cell_mass A b = 2 - A - / b.
Proof.
  intros; unfold cell_mass.
  rewrite (min1_high b), (min1_low A), (min1_inv_low A), (min1_inv_high b) by lra; ring.
Qed.

Lemma cell_mass_above A b : 0 < A -> 0 < b -> 1 <= A -> 1 <= b -> cell_mass A b = / A - / b.
Proof. intros; unfold cell_mass; rewrite !min1_high, !min1_inv_high by lra; ring. Qed.

Lemma cell_mass_point A b : 0 < A -> 0 < b -> 1 <= A -> b <= 1 -> cell_mass A b = b + / A - 2.
Proof.
  intros; unfold cell_mass.
  rewrite (min1_low b), (min1_high A), (min1_inv_low b), (min1_inv_high A) by lra; ring.
Qed.

Lemma lower_mass_below b : 0 < b -> b <= 1 -> lower_mass b = b.
Proof. intros; unfold lower_mass; rewrite min1_low, min1_inv_low by lra; ring. Qed.

Lemma lower_mass_around b : 0 < b -> 1 <= b -> lower_mass b = 2 - / b.
Proof. intros; unfold lower_mass; rewrite min1_high, min1_inv_high by lra; ring. Qed.

Lemma upper_mass_around A : 0 < A -> A <= 1 -> upper_mass A = 2 - A.
Proof. intros; unfold upper_mass; rewrite min1_low, min1_inv_low by lra; ring. Qed.

Lemma upper_mass_above A : 0 < A -> 1 <= A -> upper_mass A = / A.
Proof. intros; unfold upper_mass; rewrite min1_high, min1_inv_high by lra; ring. Qed.

(** * The cases put together *)

Lemma factor_facts k E : / E <= k <= E -> 1 <= E -> 0 < k /\ k <= E /\ 1 <= k * E.
Proof.
  intros Hk HE; assert (0 < / E) by (apply Rinv_0_lt_compat; lra); split; [lra | split; [lra |]].
  replace 1 with (/ E * E) by (field; lra); apply Rmult_le_compat_r; lra.
Qed.

Lemma side_of_1 x : x <= 1 \/ 1 <= x.
Proof. lra. Qed.

(** A cell is at most [E] times as likely under the first input as under the second. *)
Theorem event_inequality A b k E :
  0 < A <= b -> / E <= k <= E -> 1 <= E -> cell_mass A b <= E * cell_mass (k * A) (k * b).
Proof.
  intros HAb Hk HE; destruct (factor_facts k E Hk HE) as (Hk0 & HkE & HkE1).
  assert (0 < k * A) by (apply Rmult_lt_0_compat; lra).
  assert (0 < k * b) by (apply Rmult_lt_0_compat; lra).
  destruct (side_of_1 A), (side_of_1 b).
  - rewrite (cell_mass_below A b) by lra; destruct (side_of_1 (k * A)), (side_of_1 (k * b)).
    + rewrite cell_mass_below by lra; apply cell_below_below; lra.
    + rewrite cell_mass_around by lra; apply cell_below_around; lra.
    + rewrite cell_mass_point by lra; apply cell_below_point; lra.
    + rewrite cell_mass_above by lra; apply cell_below_above; lra.
  - rewrite (cell_mass_around A b) by lra; destruct (side_of_1 (k * A)), (side_of_1 (k * b)).
    + rewrite cell_mass_below by lra; apply cell_around_below; lra.
    + rewrite cell_mass_around by lra; apply cell_around_around; lra.
    + rewrite cell_mass_point by lra; apply cell_around_point; lra.
    + rewrite cell_mass_above by lra; apply cell_around_above; lra.
  - rewrite (cell_mass_point A b) by lra; destruct (side_of_1 (k * A)), (side_of_1 (k * b)).
    + rewrite cell_mass_below by lra; apply cell_point_below; lra.
    + rewrite cell_mass_around by lra; apply cell_point_around; lra.
    + rewrite cell_mass_point by lra; apply cell_point_point; lra.
    + rewrite cell_mass_above by lra; apply cell_point_above; lra.
  - rewrite (cell_mass_above A b) by lra; destruct (side_of_1 (k * A)), (side_of_1 (k * b)).
    + rewrite cell_mass_below by lra; apply cell_above_below; lra.
    + rewrite cell_mass_around by lra; apply cell_above_around; lra.
    + rewrite cell_mass_point by lra; apply cell_above_point; lra.
    + rewrite cell_mass_above by lra; apply cell_above_above; lra.
Qed.

(** The same for everything below a point. *)
Theorem lower_inequality b k E :
  0 < b -> / E <= k <= E -> 1 <= E -> lower_mass b <= E * lower_mass (k * b).
Proof.
  intros Hb Hk HE; destruct (factor_facts k E Hk HE) as (Hk0 & HkE & HkE1).
  assert (0 < k * b) by (apply Rmult_lt_0_compat; lra).
  destruct (side_of_1 b).
  - rewrite (lower_mass_below b) by lra; destruct (side_of_1 (k * b)).
    + rewrite lower_mass_below by lra; apply lower_below_below; lra.
    + rewrite lower_mass_around by lra; apply lower_below_around; lra.
  - rewrite (lower_mass_around b) by lra; destruct (side_of_1 (k * b)).
    + rewrite lower_mass_below by lra; apply lower_around_below; lra.
    + rewrite lower_mass_around by lra; apply lower_around_around; lra.
Qed.

(** The same for everything above a point. *)
Theorem upper_inequality A k E :
  0 < A -> / E <= k <= E -> 1 <= E -> upper_mass A <= E * upper_mass (k * A).
Proof.
  intros HA Hk HE; destruct (factor_facts k E Hk HE) as (Hk0 & HkE & HkE1).
  assert (0 < k * A) by (apply Rmult_lt_0_compat; lra).
  destruct (side_of_1 A).
  - rewrite (upper_mass_around A) by lra; destruct (side_of_1 (k * A)).
    + rewrite upper_mass_around by lra; apply upper_around_around; lra.
    + rewrite upper_mass_above by lra; apply upper_around_above; lra.
  - rewrite (upper_mass_above A) by lra; destruct (side_of_1 (k * A)).
    + rewrite upper_mass_around by lra; apply upper_above_around; lra.
    + rewrite upper_mass_above by lra; apply upper_above_above; lra.
Qed.
