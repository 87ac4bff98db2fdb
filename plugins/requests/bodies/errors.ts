import { defineErrors } from '../../../kernel/index.ts'

/** The errors of bodies that cannot be read. */
export const errors = defineErrors({
  rest_invalid_json: [400, 'The body of the request is not valid JSON.'],
  rest_invalid_body: [400, (why: string) => `The body of the request cannot be read: ${why}.`],
  rest_body_too_large: [
    413,
    (limit: number) => `The body of the request is larger than the ${limit} bytes allowed here.`,
  ],
  rest_body_too_deep: [
    400,
    (limit: number) => `The body of the request is nested deeper than the ${limit} levels allowed here.`,
  ],
  rest_unsupported_encoding: [
    415,
    (coding: string) => `Bodies in the content encoding ${coding} are not read here: send them as they are.`,
  ],
  rest_too_many_bodies: [503, 'The server is receiving too many bodies. Try again later.'],
})
