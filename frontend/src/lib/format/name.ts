import { visible } from '$lib/ui/visible'

/** The display name of an agent, with hidden characters made visible; an agent without a name is called by its file. */
export const agentName = (name: string | undefined, file: string): string => visible(name?.trim() || file.slice(file.lastIndexOf('/') + 1))
