/** CodeLook holds the person's choices for drawing one block of code. It outlives the drawn block. */
export class CodeLook {
  wrap = $state(false)
  numbers = $state(false)
}
