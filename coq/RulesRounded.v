(** The rules of operations that round: VAR, CONST, ADD, SUB, MUL, DIV, FMA, SQRT.

    Each rule finds the range of the real value, that of the exact value on floats, what the operands'
    errors do to it, and how the operation rounds; `judge` does the rest. Why the bounds are right is in
    RealRules.v: for instance f1*f2 - r1*r2 = r1*(f2 - r2) + r2*(f1 - r1) + (f1 - r1)*(f2 - r2). *)
From Coq Require Import Reals ZArith QArith Qreals Lra Lia Bool.
From Bignums Require Import BigZ.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Program Rounding RealRules Dyadic Nearest Enclosure Judgement RulesExact.
Open Scope R_scope.

Notation "'do' x <- a ; b" := (match a with Some x => b | None => None end)
  (at level 200, x name, a at level 100, b at level 200, right associativity).

Definition integer (n : Z) : dy := D (BigZ.of_Z n) 0.

(** A fraction between two numbers of 64 bits. *)
Definition outward_rational (q : Q) : option itv :=
  outward_quotient (point (integer (Qnum q))) (point (integer (Zpos (Qden q)))).

Definition half : dy := dpow (-1)%bigZ.
Definition double (x : dy) : dy := dscale 1%bigZ x.

Section Format.
Variables prec emax : Z.
Notation judge := (judge prec emax).

(** VAR *)
Definition variable (k : kind) (i : itv) : option judgement :=
  match k with
  | Float => Some (exact i)
  | Real => let r := outward i in judge r r dzero (Some dzero) Any
  | Sign => Some (J i i dzero dzero (Some dzero) dzero true)
  | Integer => if is_above prec (max_abs i) then None else Some (exact i)
  end.

(** Whether the number is a finite float. *)
Definition is_finite_float (c : dy) : bool :=
  is_float (BigZ.of_Z prec) (BigZ.of_Z (3 - emax - prec)) c && negb (reaches emax (dabs c)).

(** CONST: refused if m*2^e is not the float nearest to q. *)
Definition constant (q : Q) (m e : Z) : option judgement :=
  let c := norm (D (BigZ.of_Z m) (BigZ.of_Z e)) in
  let num := integer (Qnum q) in
  let den := integer (Zpos (Qden q)) in
  if is_finite_float c &&
     deqb c (nearest_quotient (BigZ.of_Z prec) (BigZ.of_Z (3 - emax - prec)) num den) then
    do r <- outward_rational q;
    let p := up_quotient (dabs (dsub (dmul c den) num)) den in
    conclude r dzero p None (Some (point c))
  else None.

(** Whether the numbers of a and b are positive and within a factor of 2. *)
Definition within_factor_2 (a b : itv) : bool :=
  is_pos (lo a) && is_pos (lo b) && dle (hi a) (double (lo b)) && dle (hi b) (double (lo a)).

(** Sterbenz' lemma: whether the floats of a and b have one sign and are within a factor of 2, so that
    differences are exact. *)
Definition sterbenz (a b : itv) : bool :=
  within_factor_2 a b || within_factor_2 (ineg a) (ineg b).

(** ADD; SUB is that with the second operand negated. *)
Definition sum (a b : judgement) : option judgement :=
  let is_known_zero j := match known j with Some c => is_zero c | None => false end in
  if is_known_zero a then Some (taken_over b)
  else if is_known_zero b then Some (taken_over a)
  else
    let x := up (dadd (d a) (d b)) in
    let relative :=
      if is_zero x then Some dzero
      else if (negb (is_neg (lo (real a))) && negb (is_neg (lo (real b))))
           || (negb (is_pos (hi (real a))) && negb (is_pos (hi (real b)))) then larger (rho a) (rho b)
      else None in
    let how := if sterbenz (float a) (ineg (float b)) then Exactly else SumOrRoot in
    judge (outward (iadd (real a) (real b))) (iadd (float a) (float b)) x relative how.

(** max|R1|*d2 + max|R2|*d1 + d1*d2 *)
Definition product_error (a b : judgement) : dy :=
  dadd (dadd (dmul (max_abs (real a)) (d b)) (dmul (max_abs (real b)) (d a))) (dmul (d a) (d b)).

(** rho1 + rho2 + rho1*rho2 *)
Definition product_relative (a b : judgement) : option dy :=
  match rho a, rho b with Some a, Some b => Some (dadd (dadd a b) (dmul a b)) | _, _ => None end.

(** MUL of an operation with itself. *)
Definition square (a : judgement) : option judgement :=
  judge (outward (isqr (real a))) (isqr (float a)) (up (product_error a a)) (product_relative a a) Any.

(** The k of 2^k or -2^k. *)
Definition power_of_two (c : dy) : option bigZ :=
  let c := norm c in if BigZ.eqb (BigZ.abs (mant c)) 1 then Some (expo c) else None.

(** The k of an operand that is exactly known to be 2^k or -2^k; that of a sign is 0. *)
Definition known_power (j : judgement) : option bigZ :=
  if sign j then Some 0%bigZ else do c <- known j; power_of_two c.

(** MUL *)
Definition product (a b : judgement) : option judgement :=
  let how := match (match known_power a with Some k => Some k | None => known_power b end) with
    | Some k => if BigZ.ltb k 0 then Scaling else Exactly
    | None => Any
    end in
  judge (outward (imul (real a) (real b))) (imul (float a) (float b))
    (up (product_error a b)) (product_relative a b) how.

(** (rho1 + rho2)*(1 + 2*rho2) if rho2 <= 1/2 *)
Definition quotient_relative (a b : judgement) : option dy :=
  match rho a, rho b with
  | Some a, Some b => if dle b half then Some (dmul (dadd a b) (dadd done (double b))) else None
  | _, _ => None
  end.

(** DIV *)
Definition quotient (a b : judgement) : option judgement :=
  if has_zero (domain b) then None
  else
    do r <- outward_quotient (real a) (real b);
    do v <- outward_quotient (float a) (float b);
    let x := up_quotient (dadd (d a) (dmul (max_abs r) (d b))) (min_abs (float b)) in
    let relative := if is_zero x then Some dzero else quotient_relative a b in
    let how := match known b with
      | Some c => match power_of_two c with
        | Some k => if BigZ.leb k 0 then Exactly else Scaling
        | None => Any
        end
      | None => Any
      end in
    judge r v x relative how.

(** FMA; the product of an operation with itself is a square here too. *)
Definition fused (is_square : bool) (a b c : judgement) : option judgement :=
  let product i j := if is_square then isqr i else imul i j in
  let x := up (dadd (product_error a b) (d c)) in
  judge (outward (iadd (product (real a) (real b)) (real c))) (iadd (product (float a) (float b)) (float c))
    x (zero_if (is_zero x)) Any.

(** SQRT *)
Definition root (a : judgement) : option judgement :=
  do r <- outward_root (real a);
  do v <- outward_root (float a);
  let divisor := dadd (lo r) (lo v) in
  let x := if is_exact a then dzero
    else if is_pos divisor then up_quotient (d a) divisor
    else up_root (d a) in
  let relative := match rho a with Some q => Some (dmul (dmul q (dadd done q)) half) | None => None end in
  judge r v x relative SumOrRoot.
End Format.

(** * Soundness *)
Section Sound.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation rnd := (rnd prec emax).
Notation bfloat := (binary_float prec emax).

(** x is a value of an input of this kind, and f the float by which the float reading takes it. *)
Definition is_value (k : kind) (x : R) (f : bfloat) : Prop :=
  is_finite f = true /\
  match k with
  | Float => x = B2R f
  | Real => B2R f = rnd x
  | Sign => x = B2R f /\ (x = 1 \/ x = -1)
  | Integer => x = B2R f /\ exists n, x = IZR n
  end.

Lemma format (f : bfloat) : Rounding.is_float prec emax (B2R f).
Proof. apply (is_float_B2R prec emax). Qed.

Lemma V_integer n : V (integer n) = IZR n.
Proof. unfold V, integer; cbn [mant expo]. rewrite BigZ.spec_of_Z. change [0]%bigZ with 0%Z. cbn. lra. Qed.

Lemma V_half : V half = / 2.
Proof. unfold half. rewrite V_pow. reflexivity. Qed.

Lemma V_double c : V (double c) = 2 * V c.
Proof. unfold double. rewrite V_scale. change (bpow radix2 [1]%bigZ) with 2. lra. Qed.

Lemma outward_rational_ok q i : outward_rational q = Some i -> isin (Q2R q) i.
Proof.
  unfold outward_rational, Q2R. apply isin_quotient; rewrite <- V_integer; apply isin_point.
Qed.

(** * VAR and CONST *)

Lemma variable_sound k i x (f : bfloat) j : is_value k x f -> isin x i -> variable prec emax k i = Some j ->
  sound x f x j.
Proof.
  intros [F K] X. destruct k; cbn [variable].
  - intros [= <-]. subst x. apply sound_exact; [apply exact_holds; assumption|reflexivity|reflexivity].
  - apply judge_sound; try apply isin_outward; try assumption.
    + rewrite Rminus_diag_eq, Rabs_R0, V_zero by reflexivity. lra.
    + unfold relative_bound. rewrite Rminus_diag_eq, Rabs_R0, V_zero by reflexivity. lra.
    + exact Logic.I.
    + intros _. split; assumption.
  - intros [= <-]. destruct K as [-> K]. apply sound_exact; try reflexivity.
    destruct (exact_holds f i F X) as (_ & H1 & H2 & H3 & H4 & _).
    repeat split; try apply H1; try apply H2; try assumption; apply H4.
  - destruct (is_above _ _); [discriminate|]. intros [= <-]. destruct K as [-> _].
    apply sound_exact; [apply exact_holds; assumption|reflexivity|reflexivity].
Qed.

Lemma of_dyadic_exact m e : is_finite_float prec emax (norm (D (BigZ.of_Z m) (BigZ.of_Z e))) = true ->
  is_finite (of_dyadic m e : bfloat) = true /\
  B2R (of_dyadic m e : bfloat) = V (norm (D (BigZ.of_Z m) (BigZ.of_Z e))).
Proof.
  set (c := norm _). assert (C : V c = F2R (Defs.Float radix2 m e)).
  { unfold c. rewrite V_norm. unfold V, F2R; cbn [mant expo Fnum Fexp].
    rewrite !BigZ.spec_of_Z. reflexivity. }
  unfold is_finite_float. intros H. apply andb_prop in H as [N L].
  apply is_float_iff in N; [|rewrite BigZ.spec_of_Z; apply Hprec]. rewrite !BigZ.spec_of_Z in N.
  destruct (reaches_spec emax (dabs c)) as [|L']; [discriminate|]. rewrite V_abs in L'.
  assert (B := binary_normalize_correct prec emax Hprec Hmax mode_NE m e false). cbv zeta in B.
  change (round_mode mode_NE) with ZnearestE in B. fold (of_dyadic m e : bfloat) in B.
  rewrite <- C in B. change (round radix2 (SpecFloat.fexp prec emax) ZnearestE (V c)) with (rnd (V c)) in B.
  rewrite (rnd_exact prec emax), Rlt_bool_true in B by assumption. split; apply B.
Qed.

Lemma constant_sound q m e j : constant prec emax q m e = Some j ->
  sound (Q2R q) (of_dyadic m e : bfloat) (Q2R q) j.
Proof.
  unfold constant. cbv zeta. destruct (is_finite_float _ _ _) eqn:FF; [|discriminate].
  destruct (deqb _ _); [|discriminate]. cbn [andb].
  destruct (of_dyadic_exact m e FF) as [F E]. set (c := norm _) in *.
  destruct (outward_rational q) as [i|] eqn:I; [|discriminate]. apply outward_rational_ok in I.
  set (p := up_quotient _ _).
  assert (P : Rabs (B2R (of_dyadic m e : bfloat) - Q2R q) <= V p).
  { assert (Q : 0 < IZR (Zpos (Qden q))) by (apply IZR_lt; reflexivity).
    unfold p. eapply Rle_trans; [|apply up_quotient_ge; rewrite V_integer; exact Q].
    rewrite V_abs, V_sub, V_mul, !V_integer, E. unfold Q2R.
    replace (V c - _) with ((V c * IZR (Zpos (Qden q)) - IZR (Qnum q)) / IZR (Zpos (Qden q))) by (field; lra).
    unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (IZR (Zpos (Qden q)))) by lra. apply Rle_refl. }
  intros H. apply conclude_sound with (r := Q2R q) (f := of_dyadic m e : bfloat) (v := Q2R q) in H;
    try assumption.
  - destruct H as [H S]. split; [exact H|rewrite S; exact P].
  - rewrite Rminus_diag_eq, Rabs_R0, V_zero by reflexivity. lra.
  - exact Logic.I.
  - rewrite E. apply isin_point.
Qed.

(** * Sums *)

Lemma sterbenz_ok (f1 f2 : bfloat) a b : isin (B2R f1) a -> isin (B2R f2) b -> sterbenz a (ineg b) = true ->
  rnd (B2R f1 + B2R f2) = B2R f1 + B2R f2.
Proof.
  intros A B%isin_neg H. apply (rnd_exact prec emax), (sterbenz_add prec emax); try apply format.
  assert (P : forall s t i j, isin s i -> isin t j ->
    within_factor_2 i j = true -> s <= 2 * t /\ t <= 2 * s).
  { intros s t i j [S1 S2] [T1 T2]. unfold within_factor_2.
    rewrite !andb_true_iff, !dle_iff, !V_double. lra. }
  unfold sterbenz in H. apply orb_prop in H as [H|H].
  - apply (P _ _ _ _ A B) in H. left. lra.
  - apply (P _ _ _ _ (isin_neg _ _ A) (isin_neg _ _ B)) in H. right. lra.
Qed.

Lemma sum_sound r1 r2 (f1 f2 f : bfloat) a b j : holds r1 f1 a -> holds r2 f2 b ->
  (Rabs (rnd (B2R f1 + B2R f2)) < bpow radix2 emax -> is_finite f = true /\ B2R f = rnd (B2R f1 + B2R f2)) ->
  sum prec emax a b = Some j -> sound (r1 + r2) f (B2R f1 + B2R f2) j.
Proof.
  intros A B Hf. unfold sum.
  assert (Z : forall r (g : bfloat) i, holds r g i ->
    match known i with Some c => is_zero c | None => false end = true ->
    r = 0 /\ B2R g = 0).
  { intros r g i H. destruct (known i) as [c|] eqn:K; [|discriminate].
    destruct (known_ok r g i c H K) as [-> ->].
    destruct (is_zero_spec c); [auto|discriminate]. }
  (* Adding 0 does not round, and does not overflow. *)
  assert (T : forall g : bfloat, B2R f1 + B2R f2 = B2R g -> is_finite g = true ->
    is_finite f = true /\ B2R f = B2R g).
  { intros g E G. rewrite E, (rnd_exact prec emax) in Hf by apply format. apply Hf, abs_B2R_lt_emax. }
  destruct (match known a with Some c => _ | None => _ end) eqn:KA.
  { destruct (Z _ _ _ A KA) as [-> Z1]. intros [= <-]. destruct (T f2) as [F E]; [lra|apply B|].
    rewrite Rplus_0_l. apply sound_exact; [|reflexivity|lra].
    apply taken_over_holds, holds_same with f2; assumption. }
  destruct (match known b with Some c => _ | None => _ end) eqn:KB.
  { destruct (Z _ _ _ B KB) as [-> Z2]. intros [= <-]. destruct (T f1) as [F E]; [lra|apply A|].
    rewrite Rplus_0_r. apply sound_exact; [|reflexivity|lra].
    apply taken_over_holds, holds_same with f1; assumption. }
  destruct A as (Fa & Ra & Va & Da & Qa & _), B as (Fb & Rb & Vb & Db & Qb & _).
  set (x := up _).
  assert (X : Rabs (B2R f1 + B2R f2 - (r1 + r2)) <= V x).
  { unfold x. eapply Rle_trans; [|apply up_ge]. rewrite V_add. apply add_abs; assumption. }
  apply judge_sound; try exact X.
  - apply isin_outward, isin_add; assumption.
  - apply isin_add; assumption.
  - destruct (is_zero_spec x) as [X0|_].
    { unfold relative_bound. rewrite V_zero. rewrite X0 in X. lra. }
    destruct (_ || _)%bool eqn:S; [|exact Logic.I].
    assert (SS : (0 <= r1 /\ 0 <= r2) \/ (r1 <= 0 /\ r2 <= 0)).
    { destruct Ra as [A1 A2], Rb as [B1 B2]. revert S.
      destruct (is_neg_spec (lo (real a))), (is_neg_spec (lo (real b))),
        (is_pos_spec (hi (real a))), (is_pos_spec (hi (real b))); cbn; intros; try discriminate; lra. }
    destruct (rho a) as [q1|], (rho b) as [q2|]; try exact Logic.I. cbn [larger relative_bound].
    rewrite V_max. split.
    + apply Rle_trans with (2 := Rmax_l _ _). apply Qa.
    + apply add_rel; [apply Qa|apply Qb|exact SS].
  - destruct (sterbenz _ _) eqn:S; cbn [rounding_holds].
    + apply sterbenz_ok with (float a) (float b); assumption.
    + apply (rnd_error_sum prec emax); apply format.
  - intros O. apply Hf, (rnd_no_overflow prec emax), O.
Qed.

Lemma Bplus_sum (f1 f2 : bfloat) : is_finite f1 = true -> is_finite f2 = true ->
  Rabs (rnd (B2R f1 + B2R f2)) < bpow radix2 emax ->
  is_finite (Bplus mode_NE f1 f2) = true /\ B2R (Bplus mode_NE f1 f2) = rnd (B2R f1 + B2R f2).
Proof.
  intros F1 F2 O. assert (C := Bplus_correct prec emax Hprec Hmax mode_NE f1 f2 F1 F2).
  rewrite Rlt_bool_true in C by exact O. split; apply C.
Qed.

Lemma Bminus_sum (f1 f2 : bfloat) : is_finite f1 = true -> is_finite f2 = true ->
  Rabs (rnd (B2R f1 + B2R (Bopp f2))) < bpow radix2 emax ->
  is_finite (Bminus mode_NE f1 f2) = true /\ B2R (Bminus mode_NE f1 f2) = rnd (B2R f1 + B2R (Bopp f2)).
Proof.
  rewrite B2R_Bopp. intros F1 F2 O. assert (C := Bminus_correct prec emax Hprec Hmax mode_NE f1 f2 F1 F2).
  rewrite Rlt_bool_true in C by exact O. split; apply C.
Qed.

(** * Products *)

Lemma power_of_two_ok c k : power_of_two c = Some k -> Rabs (V c) = bpow radix2 [k]%bigZ.
Proof.
  unfold power_of_two. rewrite <- (V_norm c). set (n := norm c). rewrite BigZ.spec_eqb, BigZ.spec_abs.
  change [1]%bigZ with 1%Z. destruct (Z.eqb_spec (Z.abs [mant n]%bigZ) 1) as [M|]; [|discriminate].
  intros [= <-].
  unfold V. rewrite Rabs_mult, <- abs_IZR, M, Rabs_pos_eq by apply bpow_ge_0. lra.
Qed.

Lemma known_power_ok r (f : bfloat) j k : holds r f j -> known_power j = Some k ->
  Rabs (B2R f) = bpow radix2 [k]%bigZ.
Proof.
  intros H. unfold known_power. destruct (sign j) eqn:S.
  - intros [= <-]. destruct H as (_ & _ & _ & _ & _ & H). destruct (H S) as [-> [-> | ->]].
    + apply Rabs_R1.
    + change (-1) with (- (1)). rewrite Rabs_Ropp. apply Rabs_R1.
  - destruct (known j) as [c|] eqn:K; [|discriminate]. destruct (known_ok r f j c H K) as [_ ->].
    apply power_of_two_ok.
Qed.

Lemma scaled_product (f : bfloat) c k : Rabs c = bpow radix2 [k]%bigZ ->
  rounding_holds (prec := prec) (emax := emax) (B2R f * c) (if BigZ.ltb k 0 then Scaling else Exactly).
Proof.
  intros C. rewrite BigZ.spec_ltb. change [0]%bigZ with 0%Z. destruct (Z.ltb_spec [k]%bigZ 0) as [K|K]; cbn.
  - split.
    + intros N. apply (rnd_exact prec emax).
      apply (is_float_mul_pow2_normal prec emax _ _ [k]%bigZ); [apply format|exact C|exact N].
    + apply (rnd_error_mul_pow2 prec emax _ _ [k]%bigZ); [apply format|exact C].
  - apply (rnd_exact prec emax), (is_float_mul_pow2 prec emax _ _ [k]%bigZ); [apply format|exact C|exact K].
Qed.

Lemma product_error_ok r1 r2 (f1 f2 : bfloat) a b : holds r1 f1 a -> holds r2 f2 b ->
  Rabs (B2R f1 * B2R f2 - r1 * r2) <= V (product_error a b).
Proof.
  intros (Fa & Ra & Va & Da & Qa & _) (Fb & Rb & Vb & Db & Qb & _).
  unfold product_error. rewrite !V_add, !V_mul. apply mul_abs; try assumption; apply max_abs_ge; assumption.
Qed.

Lemma product_relative_ok r1 r2 (f1 f2 : bfloat) a b : holds r1 f1 a -> holds r2 f2 b ->
  relative_bound (B2R f1 * B2R f2) (r1 * r2) (product_relative a b).
Proof.
  intros (Fa & Ra & Va & Da & Qa & _) (Fb & Rb & Vb & Db & Qb & _).
  unfold product_relative. destruct (rho a) as [q1|], (rho b) as [q2|]; try exact Logic.I.
  destruct Qa as [Q1 H1], Qb as [Q2 H2]. unfold relative_bound. rewrite !V_add, V_mul. split; [nra|].
  apply mul_rel; easy.
Qed.

Lemma product_sound r1 r2 (f1 f2 : bfloat) a b j : holds r1 f1 a -> holds r2 f2 b ->
  product prec emax a b = Some j ->
  sound (r1 * r2) (Bmult mode_NE f1 f2) (B2R f1 * B2R f2) j.
Proof.
  intros A B. unfold product. apply judge_sound.
  - apply isin_outward, isin_mul; [apply A|apply B].
  - apply isin_mul; [apply A|apply B].
  - eapply Rle_trans; [|apply up_ge]. apply product_error_ok; assumption.
  - apply product_relative_ok; assumption.
  - destruct (known_power a) as [k|] eqn:KA.
    + rewrite Rmult_comm. apply scaled_product, (known_power_ok r1 f1 a); assumption.
    + destruct (known_power b) as [k|] eqn:KB; [|exact Logic.I].
      apply scaled_product, (known_power_ok r2 f2 b); assumption.
  - apply (Bmult_rnd prec emax); [apply A|apply B].
Qed.

Lemma square_sound r (f : bfloat) a j : holds r f a -> square prec emax a = Some j ->
  sound (r * r) (Bmult mode_NE f f) (B2R f * B2R f) j.
Proof.
  intros A. unfold square. apply judge_sound.
  - apply isin_outward, isin_sqr, A.
  - apply isin_sqr, A.
  - eapply Rle_trans; [|apply up_ge]. apply product_error_ok; assumption.
  - apply product_relative_ok; assumption.
  - exact Logic.I.
  - apply (Bmult_rnd prec emax); apply A.
Qed.

Lemma fused_sound is_square r1 r2 r3 (f1 f2 f3 : bfloat) a b c j :
  holds r1 f1 a -> holds r2 f2 b -> holds r3 f3 c ->
  (is_square = true -> r2 = r1 /\ f2 = f1) -> fused prec emax is_square a b c = Some j ->
  sound (r1 * r2 + r3) (Bfma mode_NE f1 f2 f3) (B2R f1 * B2R f2 + B2R f3) j.
Proof.
  intros A B C S. unfold fused. set (x := up _).
  assert (X : Rabs (B2R f1 * B2R f2 + B2R f3 - (r1 * r2 + r3)) <= V x).
  { unfold x. eapply Rle_trans; [|apply up_ge]. rewrite V_add. apply add_abs; [|apply C].
    apply product_error_ok; assumption. }
  assert (P : forall i k s t, isin s i -> isin t k -> (is_square = true -> t = s) ->
    isin (s * t) (if is_square then isqr i else imul i k)).
  { intros i k s t I K E.
    destruct is_square; [rewrite E by reflexivity; apply isin_sqr, I|apply isin_mul; assumption]. }
  apply judge_sound; try exact X.
  - apply isin_outward, isin_add; [|apply C]. apply P; [apply A|apply B|]. intros E. apply S, E.
  - apply isin_add; [|apply C]. apply P; [apply A|apply B|]. intros E. f_equal. apply S, E.
  - destruct (is_zero_spec x) as [Z|]; [|exact Logic.I].
    unfold zero_if, relative_bound. rewrite V_zero. rewrite Z in X. lra.
  - exact Logic.I.
  - apply (Bfma_rnd prec emax); [apply A|apply B|apply C].
Qed.

(** * Quotients *)

Lemma no_zero_between r (f : bfloat) j : holds r f j -> has_zero (domain j) = false ->
  r <> 0 /\ B2R f <> 0 /\ 0 < V (min_abs (float j)).
Proof.
  intros H Z. assert (R := real_in_domain r f j H). assert (F := float_in_domain r f j H).
  split; [apply has_zero_false with (domain j); assumption|].
  split; [apply has_zero_false with (domain j); assumption|].
  assert (HF : has_zero (float j) = false).
  { revert Z. unfold has_zero, domain, hull; cbn [lo hi].
    assert (M := V_min (lo (real j)) (lo (float j))).
    assert (N := Rmin_r (V (lo (real j))) (V (lo (float j)))).
    assert (M' := V_max (hi (real j)) (hi (float j))).
    assert (N' := Rmax_r (V (hi (real j))) (V (hi (float j)))).
    destruct (is_pos_spec (dmin (lo (real j)) (lo (float j)))), (is_pos_spec (lo (float j))),
      (is_neg_spec (dmax (hi (real j)) (hi (float j)))), (is_neg_spec (hi (float j)));
      cbn; intros; easy || lra. }
  unfold min_abs. rewrite HF. rewrite V_min, !V_abs. destruct H as (_ & _ & [L U] & _).
  revert HF. unfold has_zero. destruct (is_pos_spec (lo (float j))), (is_neg_spec (hi (float j)));
    cbn; intros; try discriminate; apply Rmin_glb_lt; apply Rabs_pos_lt; lra.
Qed.

Lemma scaled_quotient (f : bfloat) c k : Rabs c = bpow radix2 [k]%bigZ ->
  rounding_holds (prec := prec) (emax := emax) (B2R f / c) (if BigZ.leb k 0 then Exactly else Scaling).
Proof.
  intros C. rewrite BigZ.spec_leb. change [0]%bigZ with 0%Z. destruct (Z.leb_spec [k]%bigZ 0) as [K|K]; cbn.
  - apply (rnd_exact prec emax), (is_float_div_pow2 prec emax _ _ [k]%bigZ); [apply format|exact C|exact K].
  - split.
    + intros N. apply (rnd_exact prec emax).
      apply (is_float_div_pow2_normal prec emax _ _ [k]%bigZ); [apply format|exact C|exact N].
    + apply (rnd_error_div_pow2 prec emax _ _ [k]%bigZ); [apply format|exact C].
Qed.

Lemma quotient_sound r1 r2 (f1 f2 : bfloat) a b j : holds r1 f1 a -> holds r2 f2 b ->
  quotient prec emax a b = Some j ->
  sound (r1 / r2) (Bdiv mode_NE f1 f2) (B2R f1 / B2R f2) j.
Proof.
  intros A B. unfold quotient. destruct (has_zero (domain b)) eqn:Z; [discriminate|].
  destruct (no_zero_between r2 f2 b B Z) as (ZR & ZF & M).
  destruct (outward_quotient (real a) (real b)) as [r|] eqn:R; [|discriminate].
  destruct (outward_quotient (float a) (float b)) as [v|] eqn:W; [|discriminate].
  assert (HB := B). destruct A as (Fa & Ra & Va & Da & Qa & _), B as (Fb & Rb & Vb & Db & Qb & _).
  apply (isin_quotient r1 r2) in R; try assumption.
  apply (isin_quotient (B2R f1) (B2R f2)) in W; try assumption.
  set (x := up_quotient _ _).
  assert (X : Rabs (B2R f1 / B2R f2 - r1 / r2) <= V x).
  { unfold x. eapply Rle_trans; [|apply up_quotient_ge, M]. rewrite V_add, V_mul.
    apply div_abs; try assumption; [split; [exact M|apply min_abs_le, Vb]|apply max_abs_ge, R]. }
  apply judge_sound; try assumption.
  - destruct (is_zero_spec x) as [X0|_].
    { unfold relative_bound. rewrite V_zero. rewrite X0 in X. lra. }
    unfold quotient_relative. destruct (rho a) as [q1|], (rho b) as [q2|]; try exact Logic.I.
    destruct Qa as [Q1 H1], Qb as [Q2 H2].
    destruct (dle_spec q2 half) as [L|]; [|exact Logic.I]. rewrite V_half in L.
    unfold relative_bound. rewrite V_mul, !V_add, V_one, V_double. split; [nra|].
    apply div_rel; try assumption; lra.
  - destruct (known b) as [c|] eqn:K; [|exact Logic.I].
    destruct (power_of_two c) as [k|] eqn:P; [|exact Logic.I].
    apply scaled_quotient. destruct (known_ok r2 f2 b c HB K) as [_ ->]. apply power_of_two_ok, P.
  - apply (Bdiv_rnd prec emax); assumption.
Qed.

(** * Roots *)

Lemma outward_root_nonneg r i k : isin r i -> outward_root i = Some k -> 0 <= r.
Proof.
  intros [L _]. unfold outward_root. destruct (is_neg_spec (lo i)); [discriminate|]. intros _. lra.
Qed.

Lemma root_sound r (f : bfloat) a j : holds r f a -> root prec emax a = Some j ->
  sound (sqrt r) (Bsqrt mode_NE f) (sqrt (B2R f)) j.
Proof.
  intros A. unfold root.
  destruct (outward_root (real a)) as [i|] eqn:R; [|discriminate].
  destruct (outward_root (float a)) as [v|] eqn:W; [|discriminate].
  assert (HA := A). destruct A as (Fa & Ra & Va & Da & Qa & _).
  assert (PR := outward_root_nonneg r _ _ Ra R). assert (PF := outward_root_nonneg _ _ _ Va W).
  apply (isin_root r) in R; try assumption. apply (isin_root (B2R f)) in W; try assumption.
  set (x := if is_exact a then _ else _).
  assert (X : Rabs (sqrt (B2R f) - sqrt r) <= V x).
  { unfold x. destruct (is_exact a) eqn:E.
    - rewrite (is_exact_ok r f a HA E), Rminus_diag_eq, Rabs_R0, V_zero by reflexivity. lra.
    - destruct (is_pos_spec (dadd (lo i) (lo v))) as [P|_].
      + eapply Rle_trans; [|apply up_quotient_ge, P]. rewrite V_add in *.
        rewrite Rplus_comm in *. apply sqrt_abs; try assumption; [apply W|apply R].
      + eapply Rle_trans; [|apply up_root_ge]; [apply sqrt_abs_root; assumption|].
        eapply Rle_trans; [apply Rabs_pos|exact Da]. }
  apply judge_sound; try assumption.
  - destruct (rho a) as [q|]; [|exact Logic.I]. destruct Qa as [Q H].
    unfold relative_bound. rewrite !V_mul, V_add, V_one, V_half. split; [nra|].
    change (V q * (1 + V q) * / 2) with (V q * (1 + V q) / 2). apply sqrt_rel; easy.
  - cbn. apply (rnd_error_sqrt prec emax), format.
  - intros _. apply (Bsqrt_rnd prec emax); assumption.
Qed.
End Sound.
