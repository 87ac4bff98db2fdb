// Authenticates API clients with signed tokens. POST /jwt/v1/token returns a token to users who authenticate in another way,
// such as with an application password. The token is a JWT (RFC 7519) signed with HS256.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { defineErrors, definePlugin } from 'svc-rest'

interface JwtOptions {
  /** Key that signs the tokens. */
  secret: string
  /** Lifetime of a token in seconds. */
  lifetime: number
}

const errors = defineErrors({
  jwt_invalid: [401, 'The token is invalid or has expired. Request a new one.'],
})

/** Issues tokens, and accepts them as credentials. */
export default definePlugin<JwtOptions>({
  name: 'signed-tokens',
  needs: ['users'],
  options: {
    secret: { default: '', type: 'string', minLength: 32, secret: true },
    lifetime: { default: 3600, type: 'integer', minimum: 1 },
  },
  apply({ hooks, services }, { secret, lifetime }) {
    const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const now = () => Math.floor(Date.now() / 1000)

    const tokenFor = (id: number) => {
      const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: id, exp: now() + lifetime })}`
      return `${text}.${sign(text)}`
    }
    /** ID of the user a token was issued to; null if its signature is wrong or it has expired. */
    const userIn = (token: string): number | null => {
      const [, text = '', given = ''] = /^([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(token) ?? []
      const [right, wrong] = [Buffer.from(sign(text)), Buffer.from(given)]
      if (right.length !== wrong.length || !timingSafeEqual(right, wrong)) return null
      const { sub, exp } = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString())
      return exp > now() ? Number(sub) : null
    }

    hooks.determine_current_user.tapPromise({ name: 'jwt', stage: 10, dependsOn: 'nothing' }, async (user, request) => {
      const [, token] = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
      if (token === undefined) return user
      const id = userIn(token)
      const known = id === null ? undefined : await services.users.current(id)
      if (known === undefined) throw errors.jwt_invalid()
      return known
    })
    hooks.rest_api_init.tap('jwt', (server) => {
      server.registerRoute('jwt/v1', '/token', {
        methods: 'POST',
        permission_callback: ({ user }) => user.id !== 0,
        callback: ({ user }) => ({ token: tokenFor(user.id), expires_in: lifetime }),
      })
    })
  },
})
