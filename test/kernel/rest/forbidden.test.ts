import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errors, forbidden } from '../../../kernel/index.ts'

const refusal = suite('forbidden')

const VISITOR = { user: { id: 0 } }
const USER = { user: { id: 7 } }

refusal('has status 401 for visitors and 403 for users', () => {
  assert.is(forbidden(VISITOR, errors.rest_forbidden).status, 401)
  const refused = forbidden(USER, errors.rest_forbidden)
  assert.equal([refused.status, refused.code, refused.message], [403, 'rest_forbidden', 'You may not do that.'])
})

refusal('passes the arguments of the message on', () => {
  const refused = forbidden(VISITOR, errors.HOOK_TAKEN, 'a_hook', 'cors')
  assert.equal([refused.status, refused.message], [401, errors.HOOK_TAKEN('a_hook', 'cors').message])
  // @ts-expect-error the arguments of the message are missing
  forbidden(VISITOR, errors.HOOK_TAKEN)
})

refusal.run()
