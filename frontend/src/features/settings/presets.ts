/** A provider that people connect often, with its address. */
export interface Preset {
  id: string
  name: string
  baseUrl: string
  /** Whether it asks for a key. */
  key: boolean
  hint: string
}

export const presets: readonly Preset[] = [
  { id: 'openai', name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', key: true, hint: 'Make a key at platform.openai.com.' },
  { id: 'openrouter', name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', key: true, hint: 'One key for models of many makers, from openrouter.ai.' },
  { id: 'deepseek', name: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', key: true, hint: 'Make a key at platform.deepseek.com.' },
  { id: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', key: false, hint: 'A server on this machine. It needs no key; one that runs on the usual port is found by itself.' },
  { id: 'lmstudio', name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', key: false, hint: 'A server on this machine. It needs no key; one that runs on the usual port is found by itself.' },
  { id: 'llamacpp', name: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1', key: false, hint: 'A server on this machine. It needs no key; one that runs on the usual port is found by itself.' },
  { id: 'custom', name: '', baseUrl: '', key: true, hint: 'Any server that speaks the OpenAI chat API.' },
]

/** Where a provider's key is: in the system's keyring, in a variable, or there is none. */
export type KeyPlace = 'keyring' | 'env' | 'none'

/** What is wrong with an address, or "". The backend decides; this is for while it is typed. */
export function addressProblem(text: string): string {
  if (!text.trim()) return 'An address is needed, such as https://api.example.com/v1.'
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return 'This is not a web address. It starts with https:// or http://.'
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The address starts with https:// or http://.'
  if (url.username || url.password) return 'Leave name and password out of the address; the key has a field of its own.'
  return ''
}

/** What is wrong with the name of a variable, or "". */
export function variableProblem(text: string): string {
  if (!text.trim()) return 'Name the environment variable that holds the key.'
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text.trim())) return 'This takes the name of a variable, such as MY_API_KEY, not the key itself.'
  return ''
}
