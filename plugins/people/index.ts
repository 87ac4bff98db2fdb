import type { AnyPlugin } from '../../kernel/index.ts'
import applicationPasswords from './application-passwords/index.ts'
import cookieAuth from './cookie-auth/index.ts'
import login from './login/index.ts'
import passwords from './passwords/index.ts'
import loginAttempts from './login-attempts/index.ts'
import roles from './roles/index.ts'
import users from './users/index.ts'

/** Users, their permissions, and how they log in. */
const plugins: readonly AnyPlugin[] = [roles, passwords, users, loginAttempts, cookieAuth, applicationPasswords, login]
export default plugins
