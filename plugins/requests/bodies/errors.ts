import { defineErrors } from '../../../kernel/index.ts'

/** Errors of request bodies. */
export const errors = defineErrors({
  rest_invalid_json: [400, 'The body of the request is not valid JSON.'],
  rest_invalid_utf8: [
    400,
    'The body of the request is not valid UTF-8. Convert its text to UTF-8, or send other bytes as a file.',
  ],
  rest_invalid_body: [400, (reason: string) => `The body of the request cannot be read: ${reason}.`],
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
    (encoding: string) =>
      `The content encoding "${encoding}" is not supported. Send the body without a content encoding.`,
  ],
  rest_too_many_bodies: [503, 'The server is receiving too many request bodies. Try again later.'],
})
