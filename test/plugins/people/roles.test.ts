import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, VISITOR, type CurrentUser } from '../../../kernel/index.ts'
import { mapMetaCapability } from '../../../plugins/people/roles/meta-capabilities.ts'
import type { PostSubject } from '../../../plugins/people/roles/index.ts'
import { serve, type Site, startOnly } from '../../helpers/site.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

startOnly('roles')

const roles = suite('roles')
const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber', 'visitor'] as const

const OWN = 7
const post = (status: string, rest: Partial<PostSubject> = {}): PostSubject => ({
  id: 1,
  type: 'post',
  status,
  author_id: 1,
  parent_id: 0,
  ...rest,
})
const own = (status: string, rest: Partial<PostSubject> = {}) => post(status, { author_id: OWN, ...rest })

function person(site: Site, role: string): CurrentUser {
  if (role === 'visitor') return VISITOR
  return { ...VISITOR, id: OWN, roles: [role], capabilities: site.kernel.services.roles.capabilitiesOf([role]) }
}

/** Returns the roles that have a capability, in the order of rank. */
function rolesWith(
  site: Site,
  capability: string,
  object?: Parameters<Site['kernel']['services']['capabilities']['can']>[2],
) {
  const { capabilities } = site.kernel.services
  return ROLES.filter((role) => capabilities.can(person(site, role), capability, object)).join(' ')
}

const ALL = 'administrator editor author contributor subscriber visitor'
const PEOPLE = 'administrator editor author contributor subscriber'
const WRITERS = 'administrator editor author contributor'
const PUBLISHERS = 'administrator editor author'
const EDITORS = 'administrator editor'

roles('have the capabilities of their rank', async () => {
  await using site = await serve()
  for (const [capability, expected] of [
    ['manage_options', 'administrator'],
    ['list_users', 'administrator'],
    ['unfiltered_html', EDITORS],
    ['edit_pages', EDITORS],
    ['upload_files', PUBLISHERS],
    ['publish_posts', PUBLISHERS],
    ['edit_posts', WRITERS],
    ['read', PEOPLE],
    ['exist', ALL],
    ['do_not_allow', ''],
    ['nonsense', ''],
    ['constructor', ''],
    ['unfiltered_upload', ''],
  ] as const) {
    assert.is(rolesWith(site, capability), expected, capability)
  }
})

roles('permit access to a post by author, status and type', async () => {
  await using site = await serve()
  for (const [capability, object, expected] of [
    ['edit_post', post('publish'), EDITORS],
    ['edit_post', post('draft'), EDITORS],
    ['edit_post', post('private'), EDITORS],
    ['edit_post', own('draft'), WRITERS],
    ['edit_post', own('publish'), PUBLISHERS],
    ['edit_post', own('future'), PUBLISHERS],
    ['edit_post', own('pending'), WRITERS],
    ['edit_post', own('trash', { previous_status: 'publish' }), PUBLISHERS],
    ['edit_post', own('trash', { previous_status: 'draft' }), WRITERS],
    ['edit_post', own('trash'), PUBLISHERS],
    ['delete_post', own('draft'), WRITERS],
    ['delete_post', own('publish'), PUBLISHERS],
    ['delete_post', post('publish'), EDITORS],
    ['publish_post', own('draft'), PUBLISHERS],
    ['read_post', post('publish'), ALL],
    ['read_post', post('draft'), EDITORS],
    ['read_post', post('private'), EDITORS],
    ['read_post', own('draft'), PEOPLE],
    ['read_post', own('private'), PEOPLE],
    ['read_post', post('trash', { previous_status: 'publish' }), EDITORS],
    ['read_post', post('unheard-of'), EDITORS],
    ['edit_page', own('draft', { type: 'page' }), EDITORS],
    ['edit_post', own('draft', { type: 'page' }), EDITORS],
    ['delete_page', own('publish', { type: 'page' }), EDITORS],
    ['edit_post', own('draft', { type: 'nobody-registered-it' }), EDITORS],
    ['edit_post', own('draft', { type: 'nav_menu_item' }), 'administrator'],
    ['read_post', post('publish', { type: 'svc_block' }), WRITERS],
  ] as const) {
    assert.is(rolesWith(site, capability, object), expected, `${capability} ${JSON.stringify(object)}`)
  }
})

roles('permit access to revisions and attachments by their parent', async () => {
  await using site = await serve()
  const below = (parent: PostSubject | null | undefined, type: string) =>
    post('inherit', { type, parent_id: 5, ...(parent === undefined ? {} : { parent }) })
  for (const [capability, object, expected] of [
    ['read_post', post('inherit', { type: 'attachment' }), ALL],
    ['read_post', below(post('publish'), 'attachment'), ALL],
    ['read_post', below(post('draft'), 'attachment'), EDITORS],
    ['read_post', below(post('private'), 'attachment'), EDITORS],
    ['read_post', below(post('trash', { previous_status: 'publish' }), 'attachment'), ALL],
    ['read_post', below(post('trash', { previous_status: 'draft' }), 'attachment'), EDITORS],
    ['read_post', below(null, 'attachment'), ALL],
    ['read_post', below(undefined, 'attachment'), EDITORS],
    ['edit_post', own('inherit', { type: 'attachment' }), WRITERS],
    ['edit_post', below(own('draft'), 'revision'), WRITERS],
    ['edit_post', below(own('publish'), 'revision'), PUBLISHERS],
    ['delete_post', below(post('publish'), 'revision'), ''],
    ['read_post', below(null, 'revision'), ''],
    ['edit_post', below(undefined, 'revision'), ''],
  ] as const) {
    assert.is(rolesWith(site, capability, object), expected, `${capability} ${JSON.stringify(object)}`)
  }
})

roles('permit access to terms, comments and users', async () => {
  await using site = await serve()
  const comment = { id: 1, post_id: 1, author_id: OWN }
  for (const [capability, object, expected] of [
    ['edit_term', { id: 1, taxonomy: 'category' }, EDITORS],
    ['delete_term', { id: 1, taxonomy: 'post_tag' }, EDITORS],
    ['delete_term', { id: 1, taxonomy: 'category', is_default: true }, ''],
    ['assign_term', { id: 1, taxonomy: 'post_tag' }, WRITERS],
    ['assign_term', { id: 1, taxonomy: 'nav_menu' }, 'administrator'],
    ['edit_term', { id: 1, taxonomy: 'nobody-registered-it' }, ''],
    ['edit_comment', { ...comment, post: post('publish') }, EDITORS],
    ['edit_comment', { ...comment, post: own('publish') }, PUBLISHERS],
    ['edit_comment', { ...comment, post: null }, WRITERS],
    ['edit_comment', comment, ''],
    ['edit_user', { id: 1 }, 'administrator'],
    ['edit_user', { id: OWN }, PEOPLE],
    ['edit_user', { id: 0 }, 'administrator'],
    ['delete_user', { id: OWN }, 'administrator'],
    ['promote_user', { id: OWN }, 'administrator'],
    ['create_app_password', { id: OWN }, PEOPLE],
    ['read_app_password', { id: 1 }, 'administrator'],
    ['edit_post_meta', own('draft'), WRITERS],
    ['delete_term_meta', { id: 1, taxonomy: 'category' }, EDITORS],
    ['edit_user_meta', { id: OWN }, PEOPLE],
  ] as const) {
    assert.is(rolesWith(site, capability, object), expected, `${capability} ${JSON.stringify(object)}`)
  }
})

roles('refuse a capability about an object without an object of its kind', async () => {
  await using site = await serve()
  for (const capability of [
    'edit_post',
    'read_post',
    'publish_post',
    'edit_term',
    'edit_comment',
    'edit_user',
    'edit_post_meta',
  ]) {
    assert.is(rolesWith(site, capability), '', capability)
  }
  assert.is(rolesWith(site, 'edit_post', { id: OWN }), '')
  assert.is(rolesWith(site, 'edit_term', own('draft')), '')
})

roles('treat no user as the author of a post without one', async () => {
  await using site = await serve()
  assert.is(rolesWith(site, 'read_post', post('draft', { author_id: 0 })), EDITORS)
})

roles('use the capabilities of a type that maps none', async () => {
  const vault = definePlugin({
    name: 'vault',
    needs: ['content-types', 'roles'],
    apply({ services }) {
      services.contentTypes.register('vault', { public: true, capability_type: 'vault' })
      services.roles.grant('author', 'edit_vault')
      services.roles.register('keeper', 'Keeper', { read: true, read_vault: true, edit_posts: false })
    },
  })
  await using site = await serve({ add: [vault] })
  const vaultItem = post('publish', { type: 'vault' })
  assert.is(rolesWith(site, 'edit_post', vaultItem), 'author')
  assert.is(rolesWith(site, 'read_post', vaultItem), '')
  const { capabilities } = site.kernel.services
  assert.is(capabilities.can(person(site, 'keeper'), 'read_post', vaultItem), true)
  await removePlugin(site.kernel, 'vault')
  assert.is(site.kernel.services.roles.get('keeper'), undefined)
  assert.is(site.kernel.services.roles.get('author')!.capabilities['edit_vault'], undefined)
})

roles('merge the capabilities of several roles, of which the last wins', async () => {
  await using site = await serve()
  const registry = site.kernel.services.roles
  registry.register('muted', 'Muted', { edit_posts: false })
  const has = registry.capabilitiesOf(['author', 'muted', 'nope'])
  assert.is(has['upload_files'], true)
  assert.is(has['edit_posts'], false)
  assert.is(has['author'], true)
  assert.is(has['nope'], undefined)
})

roles('apply the filters map_meta_cap and user_has_cap', async () => {
  const rules = definePlugin({
    name: 'rules',
    needs: ['roles'],
    apply({ hooks }) {
      hooks.map_meta_cap.tap('rules', (needed, capability) =>
        capability === 'edit_post' ? [...needed, 'do_not_allow'] : needed,
      )
      hooks.user_has_cap.tap('rules', (has, _, capability) => (capability === 'fly' ? { ...has, fly: true } : has))
    },
  })
  await using site = await serve({ add: [rules] })
  assert.is(rolesWith(site, 'edit_post', own('draft')), '')
  assert.is(rolesWith(site, 'fly'), ALL)
})

roles('use the capabilities of posts without a registry of types', () => {
  assert.equal(mapMetaCapability({}, VISITOR, 'read_post', post('publish')), [])
  assert.equal(mapMetaCapability({}, VISITOR, 'read_post', post('private')), ['read_private_posts'])
  assert.equal(mapMetaCapability({}, VISITOR, 'edit_post', post('private')), [
    'edit_others_posts',
    'edit_private_posts',
  ])
  assert.equal(mapMetaCapability({}, VISITOR, 'edit_term', { id: 1, taxonomy: 'category' }), ['do_not_allow'])
})

roles.run()
