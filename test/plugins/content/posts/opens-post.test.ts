import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PluginContext, RestRequest } from '../../../../kernel/index.ts'
import { opensPost } from '../../../../plugins/content/posts/password.ts'
import type { LeanPost } from '../../../../plugins/content/posts/post.ts'

const opening = suite('opensPost')

opening('does not read the client address without a password, so that the response stays cacheable', () => {
  const request = {
    get ip(): string {
      throw new Error('The address was read.')
    },
  } as RestRequest
  const services = {} as PluginContext['services']
  assert.is(opensPost(services, { password: '' } as LeanPost, '', request), true)
  assert.is(opensPost(services, { password: 'secret' } as LeanPost, '', request), false)
})

opening.run()
