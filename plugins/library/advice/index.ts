/** Checks for registrations of plugins. The kernel's own checks are in `advisor.ts`. */
export type {} from './advisor.ts'
export { refusePromise, refusePromiseText } from './find-promise.ts'
export type { RegistrationCheck, ServedObjects } from './registration-check.ts'
export { checkRegistration, shapeMistake, type Shape, type Shapes } from './shapes.ts'
