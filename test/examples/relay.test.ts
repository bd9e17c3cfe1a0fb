import { tellStories } from './support/stories.ts'

tellStories('relay')
