(** What the snapping mechanism does to a noisy value: it rounds to a grid and clamps. *)

From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
Open Scope R_scope.

(** * Rounding to a multiple of [L] *)

(** The number of the cell that [w] lies in, and its multiple of [L]: the one next to [w]; half-way between
    two of them, the larger one. *)
Definition cell_of (L w : R) : Z := Zfloor (w / L + 1 / 2).
Definition round_half_up (L w : R) : R := L * IZR (cell_of L w).

(** Half-way between two of them, the even one. *)
Definition round_half_even (L w : R) : R := L * IZR (ZnearestE (w / L)).

(** In general, a tie between [n * L] and [(n + 1) * L] goes up if [choice n]: always, for odd [n] (to the
    even multiple), or for [0 <= n] (away from zero). *)
Definition round_grid (choice : Z -> bool) (L w : R) : R := IZR (Znearest choice (w / L)) * L.
Definition ties_up (n : Z) : bool := true.
Definition ties_even (n : Z) : bool := negb (Z.even n).
Definition ties_away (n : Z) : bool := (0 <=? n)%Z.

Lemma round_grid_up L w : round_grid ties_up L w = round_half_up L w.
Proof.
  unfold round_grid, round_half_up, cell_of; rewrite Rmult_comm; do 2 f_equal.
  generalize (w / L); intros x; pose proof (Zfloor_lb x); pose proof (Zfloor_ub x); symmetry.
  unfold Znearest; destruct (Rcompare_spec (x - IZR (Zfloor x)) (/ 2)); [| unfold ties_up |].
  - apply Zfloor_imp; rewrite plus_IZR; lra.
  - rewrite Zceil_floor_neq by lra; apply Zfloor_imp; rewrite !plus_IZR; lra.
  - rewrite Zceil_floor_neq by lra; apply Zfloor_imp; rewrite !plus_IZR; lra.
Qed.

Lemma round_grid_even L w : round_grid ties_even L w = round_half_even L w.
Proof. apply Rmult_comm. Qed.

(** * Clamping *)

Definition clamp (B x : R) : R := Rmax (- B) (Rmin B x).

Lemma clamp_cases B x :
  0 < B -> x <= - B /\ clamp B x = - B \/ B <= x /\ clamp B x = B \/ - B < x < B /\ clamp B x = x.
Proof. intros HB; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

Lemma clamp_range B x : 0 < B -> - B <= clamp B x <= B.
Proof. intros HB; destruct (clamp_cases B x HB) as [[? ->]|[[? ->]|[? ->]]]; lra. Qed.

Lemma clamp_id B x : - B <= x <= B -> clamp B x = x.
Proof. intros H; unfold clamp; rewrite Rmin_right, Rmax_right; lra. Qed.

Lemma clamp_inner B r e : - B < e < B -> (clamp B r = e <-> r = e).
Proof. intros He; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

Lemma clamp_top B r : 0 < B -> (clamp B r = B <-> B <= r).
Proof. intros HB; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

Lemma clamp_bottom B r : 0 < B -> (clamp B r = - B <-> r <= - B).
Proof. intros HB; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.

(** Inputs that are clamped are no further apart. *)
Lemma clamp_contracts B x1 x2 : Rabs (clamp B x1 - clamp B x2) <= Rabs (x1 - x2).
Proof.
  unfold clamp, Rmax, Rmin; destruct (Rle_dec B x1), (Rle_dec B x2);
    repeat destruct Rle_dec; unfold Rabs; repeat destruct Rcase_abs; lra.
Qed.
