import type { Examples } from '../pages.ts'

export default {
  packages: `
    declare module '@opentelemetry/api' {
      export type Attributes = Record<string, string>
      export interface Context { readonly contextKind: unique symbol }
      export interface Span {
        setStatus(status: { code: number; message?: string }): this
        end(): void
      }
      export const SpanStatusCode: { readonly ERROR: 2 }
      export const context: { active(): Context }
      export const trace: {
        getTracer(name: string): { startSpan(name: string, options: { attributes: Attributes }, parent: Context): Span }
        setSpan(parent: Context, span: Span): Context
      }
    }
  `,
  prints: [/^Serving/m],
} satisfies Examples as Examples
