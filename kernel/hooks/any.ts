// oxlint-disable-next-line typescript/no-explicit-any -- hooks of any type, whose taps know it
export type Any = any
