import { filter, type CurrentUser, type Filter, type HookSpecs } from '../../public.ts'
import type { TokenClaims } from './tokens.ts'

/** The response to a request for a token. */
export interface TokenResponse {
  token: string
  user_email: string
  user_nicename: string
  user_display_name: string
  [field: string]: unknown
}

interface JwtHooks {
  /** Filter: the claims of a token before it is signed. @since 0.1.0 */
  jwt_auth_token_before_sign: Filter<TokenClaims, [user: CurrentUser]>
  /** Filter: the response with a new token. @since 0.1.0 */
  jwt_auth_token_before_dispatch: Filter<TokenResponse, [user: CurrentUser]>
}

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** Whether the request has been authenticated by a JSON Web Token. */
    readonly jwt?: true
  }
  interface Hooks extends JwtHooks {}
}

export const jwtHooks: HookSpecs<JwtHooks> = {
  jwt_auth_token_before_sign: filter('claims', 'user'),
  jwt_auth_token_before_dispatch: filter('response', 'user'),
}
