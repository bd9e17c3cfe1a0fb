import type { OidcSettings } from '../../config/oidc-settings.ts'
import type { SignInState } from './sign-in-state.ts'

/** Sign-in to the console by OpenID Connect. */
export interface OidcSignIn {
  readonly settings: OidcSettings
  readonly provider: Provider
}

/** The provider of OpenID Connect. */
export interface Provider {
  /** The page of the provider where a person signs in. */
  authorizationUrl(state: SignInState, redirectUri: string): Promise<URL>
  /** Exchanges the code in the callback's URL. Throws the errors of `openid-client`. */
  finish(callback: URL, state: SignInState): Promise<Claims>
  /** The page of the provider that signs out, or null if it has none. */
  signOutUrl(returnTo: string): Promise<URL | null>
}

/** The claims of a person who signed in: those of the ID token and of the provider's user info. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }
