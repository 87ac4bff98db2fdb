import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VISITOR } from '../../../../kernel/index.ts'
import { serve, startOnly } from '../../../helpers/site.ts'

startOnly('posts')

const readScope = suite('read scope over all types')

readScope('is computed once per user, and again after types have changed', async () => {
  await using site = await serve()
  const { contentTypes, posts } = site.kernel.services
  const first = posts.readScopeAbove(VISITOR)
  assert.is(posts.readScopeAbove(VISITOR), first)
  contentTypes.register('film', { public: true })
  const typesOf = (scopes: typeof first) => scopes.flatMap(({ types }) => types)
  assert.not(typesOf(first).includes('film'))
  assert.ok(typesOf(posts.readScopeAbove(VISITOR)).includes('film'))
})

readScope('is computed each time for a mutable user object', async () => {
  await using site = await serve()
  const { posts, roles } = site.kernel.services
  const user = { id: 7, capabilities: roles.capabilitiesOf(['subscriber']) }
  const reads = () => posts.readScopeAbove(user).flatMap(({ any }) => any.statuses)
  assert.not(reads().includes('private'))
  Object.assign(user.capabilities, roles.capabilitiesOf(['editor']))
  assert.ok(reads().includes('private'))
})

readScope.run()
