/** CodeLook is how a person wants one block of code drawn. It lasts while the block is not drawn. */
export class CodeLook {
  wrap = $state(false)
  numbers = $state(false)
}
