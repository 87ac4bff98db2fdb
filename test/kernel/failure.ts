import * as assert from 'uvu/assert'
import { RestError } from '../../kernel/index.ts'

/** The error that `work` throws or rejects with; fails the test when there is none, or one that is not ours. */
export async function failureOf(work: () => unknown): Promise<RestError> {
  try {
    await work()
  } catch (error) {
    assert.instance(error, RestError)
    return error as RestError
  }
  return assert.unreachable('nothing failed') as never
}
