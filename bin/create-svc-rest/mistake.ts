/** An error that the user can correct: its message is printed without a stack. */
export class Mistake extends Error {}
