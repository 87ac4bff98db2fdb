/** Hides secrets in texts that people read: the log, failures, traced requests. */
export { forgetSecrets, hideConfigSecrets, hideSecretsIn, keepSecret, stringifyWithoutSecrets } from './hide-secrets.ts'
