import { tellStories } from './support/stories.ts'

tellStories('fetch')
