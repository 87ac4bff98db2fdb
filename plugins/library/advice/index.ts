/** What plugins check the registrations of other plugins with. The checks of the kernel's own are in `advisor.ts`. */
export type {} from './advisor.ts'
export { refusePromise, refusePromiseText } from './find-promise.ts'
export type { RegistrationCheck, ServedObjects } from './registration-check.ts'
export { checkRegistration, shapeMistake, type Shape, type Shapes } from './shapes.ts'
