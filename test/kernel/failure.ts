import * as assert from 'uvu/assert'
import { RestError } from '../../kernel/index.ts'

/** Returns the `RestError` that `work` throws or rejects with; fails the test for any other result or error. */
export async function failureOf(work: () => unknown): Promise<RestError> {
  try {
    await work()
  } catch (error) {
    assert.instance(error, RestError)
    return error as RestError
  }
  return assert.unreachable('expected an error') as never
}
